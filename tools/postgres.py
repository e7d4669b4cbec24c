"""A private PostgreSQL server in a temporary folder.

Needs the server's programs (of the package postgresql) and the driver: pip install "psycopg[binary]".
"""
import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

USER = 'postgres'  # runs the server where root starts it, as PostgreSQL refuses to run as root

def programs():
    "Folder of initdb and pg_ctl, the newest version; None if there is none."
    found = shutil.which('initdb')
    folders = ([Path(found).parent] if found
               else sorted(Path('/usr/lib/postgresql').glob('*/bin'), key=_version))
    return folders[-1] if folders and (folders[-1] / 'pg_ctl').exists() else None

def _version(folder): return int(folder.parent.name) if folder.parent.name.isdigit() else 0

def absent():
    "Why there can be no server here, as a sentence; empty if there can be one."
    if not find_spec('psycopg'):
        return 'the driver is not installed (pip install "psycopg[binary]")'
    if programs() is None: return 'initdb and pg_ctl are not there (install the package postgresql)'
    if os.geteuid() == 0 and USER not in [one.pw_name for one in pwd.getpwall()]:
        return f'root cannot run the server, and there is no user {USER}'
    return ''

@contextmanager
def server():
    "A connection to a server of its own, with a socket in a temporary folder; both go away."
    import psycopg  # only where it is installed
    person = {'user': USER, 'group': pwd.getpwnam(USER).pw_gid,
              'extra_groups': []} if os.geteuid() == 0 else {}
    quiet = {'check': True, 'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL, **person}
    with tempfile.TemporaryDirectory(prefix='pg', ignore_cleanup_errors=True) as folder:
        if person: os.chown(folder, pwd.getpwnam(USER).pw_uid, person['group'])
        data, bin_ = Path(folder, 'data'), programs()
        quick = "-c fsync=off -c listen_addresses='' -c unix_socket_directories=" + folder
        subprocess.run([bin_ / 'initdb', '-D', data, '-A', 'trust', '-E', 'UTF8', '--locale=C', '-U', USER,
                        '--no-sync'], cwd=folder, **quiet)
        subprocess.run([bin_ / 'pg_ctl', '-D', data, '-l', Path(folder, 'log'), '-w', '-o', quick, 'start'],
                       cwd=folder, **quiet)
        try:
            with psycopg.connect(host=folder, user=USER, dbname='postgres', autocommit=True) as connection:
                yield connection
        finally:
            subprocess.run([bin_ / 'pg_ctl', '-D', data, '-w', '-m', 'immediate', 'stop'], cwd=folder,
                           **quiet)
