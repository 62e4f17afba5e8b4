/** Help topics that are plain text. */
export const topicTexts: Readonly<Record<string, string>> = {
  output: `Output formats.

The result goes to stdout. Questions, progress, warnings and errors go to stderr. -o selects the
format of the result:

  table   columns; on a terminal fitted to its width, with readable sizes and times;
          elsewhere with full values, for grep and awk
  wide    a table with ids, without truncation
  json    an array for lists, an object for one object
  jsonl   one JSON object per line, printed as it arrives
  yaml    the same values as YAML
  csv     comma-separated, with a header; tsv: separated by tabs
  name    kind/name, which other commands accept as arguments or on stdin
  id      ids only
  xml     the XML representation of the API
  raw     the unchanged response of list and get; json for other commands

On a terminal, tables truncate long texts (never ids and states) and omit the last columns if the
width is too small; stderr lists the omitted columns. Terminals of up to 40 columns get one block of
"name: value" lines per object. get shows the names of referenced objects.

--columns name,cluster.data_center.name,cpu=cpu.topology.cores selects columns by attribute path and
follows links; title=PATH sets a header. +ip,-cluster adds and removes columns.
created, dc, desc, ip, mem, size and started are short names. --full-time prints exact times in
tables. --sort takes columns or paths (-memory,name); a leading - reverses the order. --limit returns
the first N objects after sorting. vmctl config set vms.columns name,status (or vms.output json) sets
the default for lists of a noun, with -c LAB for one context. Flags have priority over environment
variables, the context and the global configuration. --pager shows lists and objects in VMCTL_PAGER,
PAGER or less on a terminal; VMCTL_PAGER alone enables it as well. --no-headers omits the header, --utc prints times in UTC. An empty list is a success: [], exit
code 0. Control characters in names and texts are printed as escapes. With --csv-safe, cells of csv
and tsv that begin with = + - @ and are not numbers get a leading apostrophe, so that spreadsheets
do not evaluate them as formulas.

json, jsonl, csv, tsv, name and id print objects as they arrive. Tables, --sort and --query read the
complete list first, and fail if it does not fit in memory.

--query applies a JMESPath expression to the JSON result. The output is JSON; with -o tsv, texts and
numbers are printed bare, one per line, and lists of lists become rows:

  vmctl vms list --query "[?status=='up'].name" -o tsv
  vmctl vms list --query 'sum([].memory)'

An interrupted list is a failure; stdout has the objects received so far. --page-size 500 reads a list in pages. Objects that
are created or deleted between two pages cause neither duplicates nor gaps.

--dry-run resolves names and prints the requests that would change something, without sending them:
method, address, body and, for updates, the differences. --curl prints requests as curl commands,
with $(vmctl auth token), or VMCTL_TOKEN if it is set. Both omit secrets. -o json prints them as objects.

  vmctl vms update web01 --memory 8GiB --dry-run
  vmctl vms list --search 'status=up' --curl

--debug prints each request to stderr, --debug=http,body with headers and bodies; --debug-file writes
them to a private file. Secrets are omitted. --timing prints the duration of start, connection, first
byte and body.
`,
  errors: `Error messages.

  vmctl: object or action: problem
  hint: command to run next

With -o json or -o jsonl, stderr gets one JSON object as its last line: code, message, exit_code,
hint, status, fault {reason, detail}, request {method, path}, retryable, next. Notes and warnings
are JSON objects, one per line: {"event":"note","message":"..."}; -o jsonl adds progress. Codes are stable.
`,
  references: `References to objects.

Refer to an object by id, by exact name, or as kind/name, the output of -o name. A word that is the
id of one object and the name of another is ambiguous; the error lists both. A name that several
objects have is ambiguous as well. For an unknown name the error lists similar names. Empty names
are refused before any request.

A version of a template is NAME@NUMBER, NAME@VERSION-NAME or NAME@latest:

  vmctl vms create web03 --cluster Default --template debian12@latest

Verbs accept several objects; - reads them from stdin, one per line:

  vmctl vms list --search 'name=test*' -o name | vmctl vms stop -

Nested objects need their parent as a flag, or with its kind:

  vmctl nics list --vm web01
  vmctl permissions list --on clusters/lab
  vmctl glusterbricks list --cluster Default --volume vol1

If all possible parents have one kind, the parent is optional: vmctl storagedomains deactivate data1
searches the data centers, and fails if two of them have a domain with this name.
`,
  waiting: `Waiting for operations.

Commands wait for the operation to finish: a started VM is up, a new disk is ok, a deleted object no
longer exists. stderr shows the states in between. --no-wait returns immediately and prints the wait
command. --wait-timeout (default 10m) limits the wait, --timeout the complete command; exit code 7.

  vmctl wait vms/web01 --for status=up --timeout 5m
  vmctl wait disks/root --for 'status!=locked'
  vmctl wait vms/web01 vms/web02 --for gone

vmctl wait also waits for an object that does not exist yet. Conditions: attribute=value,
attribute!=value, exists, gone, settled (any state that does not end automatically, the default).
`,
  scripting: `Scripts.

Without a terminal, or with --no-input, vmctl never prompts: a question is an error with exit code
12, and --yes confirms it. Commands with --all, --glob or in protected contexts prompt, and actions that
delete more than the named object, such as snapshots restore; a delete by name does not. VMCTL_URL, VMCTL_USERNAME, VMCTL_PASSWORD_FILE and VMCTL_CA_FILE replace
vmctl login. Output that is not a terminal has no color and no truncation; use -o json, jsonl or tsv
and --query. -q prints only the ids of changed objects. Exit codes are listed in vmctl help
exit-codes; with -o json the error is a JSON object on stderr.

  id=$(vmctl vms create --name web01 --cluster Default --template Blank -q)
  vmctl vms list --search 'status=down' -o name | vmctl vms delete -
  vmctl vms list -o json --query '[].{name: name, memory: memory}'

Sizes have a unit: 4GiB, 512M (binary), 4GB (decimal), 4096B. A plain number of bytes is accepted
from 1048576 (1 MiB), and 0: --memory 4096 is an error, which suggests 4096MiB.

Empty variables are an error before any request. --dry-run shows the requests without sending them.
A protected context requires --confirm CONTEXT for harmful commands; VMCTL_READ_ONLY=1 refuses every
request that could change something.
`,
  accessibility: `Accessibility.

ACCESSIBLE=1 prints progress line by line, without redrawing. NO_COLOR=1 or --color never disables
color; color never carries information that the text lacks. -o yaml and vmctl NOUN get print one
attribute per line, which suits screen readers. --columns selects columns, --no-headers omits the header. All help pages are
plain text: vmctl help TOPIC, vmctl NOUN VERB --help.
`,
  offline: `Offline use.

vmctl serve runs a reference server on this computer: the API, an image daemon with real disk
contents, permissions and events. Use it to try commands and to test automation.

  vmctl serve --memory -- bash         # a shell with the server as its context
  vmctl serve --memory --speed 0 --inventory hosts=10,vms=1000 -- ./test.sh
  vmctl serve --inventory site.yaml    # objects of a definition
  eval "$(vmctl serve --memory --detach --env)"   # until vmctl serve --stop
  vmctl vms start vm-02 --sandbox      # a temporary server for one command

--speed 0 completes operations immediately. help, explain, commands and completion never connect.
`,
  search: `Search language (--search).

  vmctl vms list --search 'name=web* and status=up'
  vmctl vms list --search 'cluster=lab sortby name desc' --limit 20 --page 2
  vmctl hosts list --search 'vms.status=up'
  vmctl events list --search 'severity > normal sortby time desc'

A condition is FIELD OPERATOR VALUE, with =, !=, <, >, <= or >=. * matches any text. Quote values with spaces:
name="web 01". "and" has priority over "or"; adjacent conditions are joined by "and". Parentheses are not
supported, and != is the only negation. A word without a field searches all text fields. sortby
sets the order, page selects a page of --limit objects. Fields of related objects have their kind as
a prefix: vms.status. --case-sensitive distinguishes upper and lower case.

vmctl search-help NOUN lists the fields of a noun and their values. vmctl search-help NOUN QUERY
explains a query. vmctl validates every query and sends it unchanged. --no-search-check skips the
validation, for a service with more fields. --search @NAME uses the query of a bookmark.
`,
};
