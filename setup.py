"""Build rulebook from settings.ini, the one place where names, versions and requirements are written."""
import re
from configparser import ConfigParser
from pathlib import Path

from setuptools import find_packages, setup

ini = ConfigParser(delimiters=['='])
ini.read('settings.ini', encoding='utf-8')
cfg = ini['DEFAULT']

STATES = ['1 - Planning', '2 - Pre-Alpha', '3 - Alpha', '4 - Beta', '5 - Production/Stable']
PYTHONS = ['3.10', '3.11', '3.12', '3.13', '3.14']
supported = PYTHONS[PYTHONS.index(cfg['min_python']):]

extras = {key.removesuffix('_requirements'): value.split()
          for key, value in cfg.items() if key.endswith('_requirements')}
parts = 'sql', 'text', 'big', 'data', 'excel', 'widget', 'onnx'
extras['all'] = sorted({need for name in parts for need in extras[name]})

# On the page of an index a link has no repository around it: pages lead to the site, files to the repository.
DOCS = cfg['doc_host'] + cfg['doc_baseurl']

def absolute(found):
    "A link of README.md that leads on from anywhere."
    mark, target = found[1], found[2]
    page = re.match(r'nbs/(.+)\.ipynb(.*)', target)
    if page: return f'{mark}({DOCS}/{page[1]}.html{page[2]})'
    form = 'raw' if mark.startswith('!') else 'blob'
    return f"{mark}({cfg['git_url']}/{form}/{cfg['branch']}/{target})"

LINK = re.compile(r'(!?\[[^\]]*\])\((?!https?:|#)([^)]+)\)')

setup(
    name=cfg['lib_name'],
    version=cfg['version'],
    description=cfg['description'],
    long_description=LINK.sub(absolute, Path('README.md').read_text(encoding='utf-8')),
    long_description_content_type='text/markdown',
    author=cfg['author'],
    author_email=cfg['author_email'],
    url=cfg['git_url'],
    project_urls={'Documentation': f'{DOCS}/', 'Source': cfg['git_url'], 'Issues': f"{cfg['git_url']}/issues",
                  'Changes': f"{cfg['git_url']}/blob/{cfg['branch']}/CHANGELOG.md"},
    license_expression=cfg['license'],
    keywords=cfg['keywords'].split(),
    classifiers=[f"Development Status :: {STATES[int(cfg['status'])]}",
                 f"Intended Audience :: {cfg['audience']}",
                 f"Natural Language :: {cfg['language']}",
                 'Programming Language :: Python :: 3 :: Only',
                 *(f'Programming Language :: Python :: {version}' for version in supported)],
    python_requires=f">={cfg['min_python']}",
    install_requires=cfg['requirements'].split(),
    extras_require=extras,
    # The folder data/ stands beside rulebook/ in the repository and is installed inside it, as rulebook/data.
    packages=[*find_packages(include=['rulebook', 'rulebook.*']), 'rulebook.data'],
    package_dir={'rulebook.data': 'data'},
    include_package_data=False,
    package_data={'': ['*.pyi', 'py.typed', '*.js', '*.css', '*.html'], 'rulebook.data': ['*.csv', '*.md']},
    entry_points={'console_scripts': cfg['console_scripts'].split(),
                  # by this name nbdev finds the index of exported names when it links them to their pages
                  'nbdev': ['rulebook=rulebook._modidx:d']},
    zip_safe=False,
)
