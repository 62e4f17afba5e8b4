/** Help topics that are plain text. */
export const topicTexts: Readonly<Record<string, string>> = {
  output: `What is printed, and where.

stdout carries the result and nothing else; questions, progress, warnings and errors go to
stderr. -o chooses the format of the result:

  table   columns; on a terminal fitted to its width, sizes and times made readable;
          anywhere else every value in full, for grep and awk
  wide    a table with the id, nothing cut or left out
  json    an array for lists, an object for one object
  jsonl   one JSON object in a line, as soon as there is one
  yaml    the same values as YAML
  csv     comma-separated, with a line of titles; tsv: separated by tabs
  name    kind/name: what other commands take, also from stdin as -
  id      ids only
  xml     what the service writes
  raw     the answer of list and get, byte for byte; elsewhere as json

On a terminal long texts are cut, never ids and states, and the last columns left out where there is
no room for them: stderr names those. Up to 40 columns wide it shows a block of name: value for each
object. get shows the names of what an object refers to.

--columns name,cluster.data_center.name,cpu=cpu.topology.cores chooses columns by attribute path,
also through links, which are followed then; a title= in front names a column. --sort takes a
column or such a path, with - in front the other way round; --limit shows the first of those that
are sorted. vmctl config set vms.columns name,status (or vms.output json) is what lists of a noun show from then
on, with -c LAB on that server alone; flags win, then variables, the context, and all servers.
--pager shows lists and objects in VMCTL_PAGER, PAGER or less, on a terminal; VMCTL_PAGER alone
asks for it, too. --no-headers leaves the titles out, --utc shows every time in UTC and in full. An empty
list is no failure: [], exit code 0. Characters that could steer a terminal are printed as escapes.
Names come from other people: with --csv-safe a cell of csv or tsv that begins with = + - @ and is
no number gets an apostrophe in front, so that no spreadsheet takes it for a formula.

All rows of a table are kept to align them, and all objects that are sorted or queried: a list that
does not fit into memory ends with an error there. The other formats need no memory for it.

--query takes a JMESPath expression over what json prints. The result is json as well; with -o tsv
texts and numbers are bare, one in a line, and lists of lists are rows:

  vmctl vms list --query "[?status=='up'].name" -o tsv
  vmctl vms list --query 'sum([].memory)'

Long lists are printed while they arrive, except where they are sorted or queried; one that breaks
off is a failure, and what came of it is on stdout. --page-size 500 reads them in pages: what is
made or removed meanwhile neither repeats objects nor loses them.

What would be sent: with --dry-run a command looks names up, and then prints the requests that
would change something instead of sending them: method, address, body, and for an update what
would become different. --curl prints them as commands for a shell, those of reading verbs too;
the token is taken from VMCTL_TOKEN. Secrets are left out of both. -o json gives objects.

  vmctl vms update web01 --memory 8GiB --dry-run
  vmctl vms list --search 'status=up' --curl

What was sent: --debug shows each request on stderr when it is over, --debug=http,body with what
was sent and answered; --debug-file writes it to a file that only you can read. Secrets are left
out of all of it. --timing shows what took how long: start, connections, first bytes, bodies.
`,
  errors: `How failures are told.

  vmctl: what was tried: why it failed
  hint: what to do about it

With -o json or -o jsonl the same goes to stderr as one object: code, message, exit_code, hint,
status, fault {reason, detail}, request {method, path}, retryable, next. It is the last line there.
Notes and warnings are lines of JSON as well, {"event":"note","message":"..."}; -o jsonl adds progress.
Codes are stable:

  usage, unknown_noun, unknown_verb, unknown_type, unknown_attribute, missing_parent
  bad_document, bad_definition, bad_query
  unsafe_file, unreadable_file, unwritable_directory, bad_configuration, locked, read_only
  not_found, unknown_context, no_service, ambiguous
  auth_required, access_denied, forbidden, no_keyring, wrong_passphrase, no_passphrase, protected
  refused, conflict, action_failed, unexpected_state, redirected
  wait_timeout, timeout, unreachable, connection_lost
  untrusted, unknown_ca, pin_mismatch, certificate_expired, wrong_host
  server_error, bad_answer, partial, all_failed, declined, interrupted, bug
`,
  definitions: `A site written down.

vmctl export writes what a service has; vmctl diff compares a service with such a file, and exits
with 11 if there are differences; vmctl apply makes what is missing and changes what differs;
vmctl serve --inventory begins with it. YAML or JSON: the objects by collection, in the words of the
API, with names where the API has references. Nothing is removed by leaving it out.

  datacenters:
    - { name: north, local: false, storagedomains: [nfs1] }
  clusters:
    - { name: web, data_center: north, cpu: { type: Intel Nehalem Family } }
  hosts:
    - name: h1
      address: h1.example.com
      cluster: web
      root_password: { secret: h1 }
  storagedomains:
    - name: nfs1
      type: data
      host: h1
      storage: { type: nfs, address: filer, path: /exports/1 }
  vms:
    - name: web01
      cluster: web
      memory: 4 GiB
      nics: [{ name: nic1 }]
      diskattachments:
        - bootable: true
          interface: virtio
          disk:
            name: web01_root
            provisioned_size: 10 GiB
            format: cow
            storage_domains: [nfs1]
      status: up

Objects are recognised by their names, and compared in what the file says of them alone. Sizes may
have units (KiB, MiB, GiB, TiB). Networks and profiles of the same name are told apart by what they
are in: a reference to one is then { name: mgmt, data_center: south } or
{ name: mgmt, network: { name: mgmt, data_center: south } }; a later version of a template is
{ name: rhel, version: { version_name: second } }. Quote names that look like something else: '007'.

apply makes each object after those that it needs. What fails is told, what needs it is left out, the
rest is done; the next run goes on from there, and one more finds that all of it is so.

Secrets: export writes placeholders for the passwords and keys that are needed to make objects anew.
apply fills those of new objects: --secret NAME=@FILE (a * in NAME stands for any text), a variable
(VMCTL_SECRET_HOSTS_H1_ROOT_PASSWORD), or it asks. What is not given is listed before anything is
sent. serve --inventory needs none. The passwords of users are kept by their directory.

Configuration, not state: a machine runs after apply only where the file says status: up, which
export --status writes. Disks are made empty; copy their bytes with vmctl disks download and upload.
A template is made of the machine that vm: names, or else of one that is made for it and removed; a
disk that says template: comes with the machine from its template. Drives keep the names of their ISO
files, which have to be there. Permissions on attached disks, and icons of one's own, are not written.
`,
  references: `How objects are named.

By id, by exact name, or as kind/name, which is what -o name prints. An id wins nothing: a word
that is the id of one object and the name of another is an error that lists both, and so is a
name that several objects have. A name that nobody has is an error with the nearest names. An
empty name is refused before anything is sent.

Several objects can be given at once; - reads them from stdin, one in a line:

  vmctl vms list --search 'name=test*' -o name | vmctl vms stop -

Objects that belong to another one need it as a flag, or together with its kind:

  vmctl nics list --vm web01
  vmctl permissions list --on clusters/lab
  vmctl glusterbricks list --cluster Default --volume vol1

Where it can only be one kind of object and is not named, all of these are asked: vmctl
storagedomains deactivate data1 finds the data center, unless two have such a domain.
`,
  waiting: `Waiting.

What changes an object waits until the work is done: a virtual machine that was started is up, a
disk that was made is ok, an object that was deleted is gone. The states on the way are shown on
stderr. --no-wait returns at once and prints the command that waits; --wait-timeout (10m) limits
the patience, with exit code 7.

  vmctl wait vms/web01 --for status=up --timeout 5m
  vmctl wait disks/root --for 'status!=locked'
  vmctl wait vms/web01 vms/web02 --for gone

An object that does not exist yet is waited for. Conditions: attribute=value,
attribute!=value, exists, gone, settled (any state that does not end by itself, the default).
`,
  scripting: `In scripts.

Nothing asks where nobody can answer: without a terminal, or with --no-input, a question is an
error with exit code 12, and --yes answers it. VMCTL_URL, VMCTL_USERNAME, VMCTL_PASSWORD_FILE and
VMCTL_CA_FILE make login unnecessary. Off a terminal no output is coloured or shortened; for
programs there are -o json, jsonl, tsv and --query. -q leaves only the ids of what was changed.
Exit codes tell what went wrong (vmctl help exit-codes), with -o json also as an object on stderr.

  id=$(vmctl vms create --name web01 --cluster Default --template Blank -q)
  vmctl vms list --search 'status=down' -o name | vmctl vms delete -
  vmctl vms list -o json --query '[].{name: name, memory: memory}'

An empty variable is an error before anything is sent. What would be sent shows --dry-run. A
protected context asks for --confirm CONTEXT before harm is done; VMCTL_READ_ONLY=1 sends nothing
that could change something.
`,
  accessibility: `For screen readers, and for eyes that tire.

ACCESSIBLE=1 writes progress line by line; nothing is redrawn. NO_COLOR=1 or --color never leaves
colours out; they never say anything that words do not say as well. -o yaml and a single object as
a table are read from top to bottom; --columns keeps only what is of interest; --no-headers leaves
the titles out. Every page of help is plain text: vmctl help TOPIC, vmctl NOUN VERB --help.
`,
  offline: `Without a service.

vmctl serve runs a whole reference service on this machine: the API, the image daemon with real
bytes, permissions, events. It is for trying commands out, and for testing what is going to run
against a real service.

  vmctl serve --memory -- bash         # a shell in which vmctl uses it
  vmctl serve --memory --speed 0 --inventory hosts=10,vms=1000 -- ./test.sh
  vmctl serve --inventory site.yaml    # as vmctl export wrote it
  eval "$(vmctl serve --memory --detach --env)"   # until vmctl serve --stop
  vmctl vms start vm-02 --sandbox      # for one command, then it is gone

What a command has sent, and what was answered, can be written down without its secrets, and
answered again: a report of an error that anybody can run.

  vmctl vms start web01 --record session.ndjson
  vmctl serve --replay session.ndjson -- vmctl vms start web01

--speed 0 makes work end at once; --fault makes requests fail (vmctl serve --help). Help, explain,
commands and completion never connect.
`,
  search: `The search language (--search).

  vmctl vms list --search 'name=web* and status=up'
  vmctl vms list --search 'cluster=lab sortby name desc' --limit 20 --page 2
  vmctl hosts list --search 'vms.status=up'
  vmctl events list --search 'severity > normal sortby time desc'

field=value, !=, <, > and so on; * stands for any text, quotes keep a value with blanks together:
name="web 01". and binds tighter than or; conditions side by side all have to hold. There are no
parentheses, and != is the only not. A word without a field is looked for in all texts. sortby orders,
page takes a page of --limit objects. Objects of other kinds are asked for by their kind and a field:
vms.status. --case-sensitive takes upper and lower case as different.

vmctl search-help NOUN lists the fields of a noun with what they may be, and vmctl search-help NOUN
QUERY tells how a search is understood. Every search is checked before it is sent, and goes to the
service as it is; --no-search-check sends one that cannot be understood here, for a service that knows
more fields. --search @NAME takes the search that a bookmark keeps.
`,
};
