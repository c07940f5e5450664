"""Attempts to get through the wall: to read, write, run, reach or signal what lies outside.

None may do harm where it succeeds, for each is also run with no layer at all, by root too. Each is the body of a
function that gets `bait`, a dict of what an attacker might know (paths, process ids, ports), and returns what it got:
a text that is searched for canaries, or True where it did what it should not be able to do.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Crossing:
    name: str
    wants: str
    body: str


READ = "the contents of a file on the grader's machine"
RUN = "a program or process of its own"
WRITE = "a change on the grader's disk"
REACH = "a connection to somebody outside"
HARM = "to end or disturb the grader or another student's process"
KERNEL = "a part of the kernel that opens other ways"
MEMORY = "what the grader, or another student, has in memory"

PROGRAM = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def syscall(number, *args):
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return True
"""


def _through(way):
    return f"path = bait['secret_file']\n{way}"


READS = {
    "open": "return open(path).read()",
    "open by a descriptor": "return os.read(os.open(path, os.O_RDONLY), 4096).decode()",
    "open with a path descriptor": "fd = os.open(path, os.O_PATH); return open(f'/proc/self/fd/{fd}').read()",
    "the C library's open": "fd = libc.open(path.encode(), 0); return os.read(fd, 4096).decode()",
    "the C library's fopen": """
libc.fopen.restype = ctypes.c_void_p
file = libc.fopen(path.encode(), b'r')
buffer = ctypes.create_string_buffer(4096)
libc.fread(buffer, 1, 4095, ctypes.c_void_p(file or 1 // 0))
return buffer.value.decode()""",
    "a raw openat2": """
how = (ctypes.c_uint64 * 3)(0, 0, 0)
fd = libc.syscall(ctypes.c_long(437), -100, path.encode(), how, ctypes.c_long(24))
return os.read(fd, 4096).decode()""",
    "mmap": "import mmap; file = open(path); return mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)[:].decode()",
    "numpy.fromfile": "import numpy as np; return np.fromfile(path, dtype=np.uint8).tobytes().decode()",
    "numpy.memmap": "import numpy as np; return bytes(np.memmap(path, mode='r')).decode()",
    "numpy.loadtxt": "import numpy as np; return str(np.loadtxt(path, dtype=str))",
    "torch.UntypedStorage": """
import torch
return bytes(torch.from_file(path, size=31, dtype=torch.uint8).tolist()).decode()""",
    "linecache": "import linecache; return ''.join(linecache.getlines(path))",
    "a module loader": """
from importlib.machinery import SourceFileLoader as L
return L('x', path).get_data(path).decode()""",
    "runpy's error": "import runpy; runpy.run_path(path)",
    "sendfile to a pipe": """
r, w = os.pipe()
os.sendfile(w, os.open(path, os.O_RDONLY), 0, 4096)
return os.read(r, 4096).decode()""",
    "splice to a pipe": """
r, w = os.pipe()
os.splice(os.open(path, os.O_RDONLY), w, 4096)
return os.read(r, 4096).decode()""",
    "the root of its own process": "return open('/proc/self/root' + path).read()",
    "the root of the grader": "return open(f'/proc/{bait[\"victim\"]}/root' + path).read()",
    "the working folder of the grader": "return open(f'/proc/{bait[\"victim\"]}/cwd/../../../../../..' + path).read()",
    "way up by ..": "return open('../' * 20 + path).read()",
    "a hard link": "link = bait['writable'] + '/hard'; os.link(path, link); return open(link).read()",
    "a symbolic link": "link = bait['writable'] + '/soft'; os.symlink(path, link); return open(link).read()",
    "a file descriptor that was left open": """
found = ''
for fd in range(4, 256):
    try: found += os.pread(fd, 4096, 0).decode('utf-8', 'replace')
    except OSError: pass
return found or open(path).read()""",
    "io_uring": "syscall(425, 4, ctypes.create_string_buffer(256)); return open(path).read()",
    "a file handle": """
handle = ctypes.create_string_buffer(b'\\x80\\0\\0\\0' + bytes(140))
mount = ctypes.c_int()
syscall(303, -100, path.encode(), handle, ctypes.byref(mount), 0)
return open(path).read()""",
}

PLACES = {
    "a hidden test": "return open(bait['hidden_test']).read()",
    "the oracle": "return open(bait['oracle']).read()",
    "the reference solution": "return open(bait['reference']).read()",
    "another student's work": "return open(bait['other_student']).read()",
    "the course secret": "return open(bait['course_secret']).read()",
    "the kit's folder": "return repr(os.listdir(bait['kit']))",
    "anything that a walk finds": """
found = []
for start in ('/tmp', bait['kit'], *bait['homes']):
    for top, folders, files in os.walk(start):
        folders[:] = [name for name in folders if not name.startswith(('.', 'py'))]
        for name in files:
            if name in bait['names']:
                try: found.append(open(os.path.join(top, name), 'rb').read(200).decode('latin-1'))
                except OSError: pass
return repr(found)""",
    "the shell's history and keys": """
found = []
for home in bait['homes']:
    for name in ('.bash_history', '.ssh/id_rsa', '.netrc', '.ipython/profile_default/history.sqlite'):
        try: found.append(open(os.path.join(home, name), 'rb').read())
        except OSError: pass
return len(found) > 0""",
    "the table of users": "return 'root:' in open('/etc/passwd').read()",
    "what others left in /tmp": """
return repr([open(f'/tmp/{n}').read() for n in os.listdir('/tmp') if n in bait['left']])""",
    "what others left in /dev/shm": "return open(bait['shared_memory']).read()",
}

ENVIRONMENT = {
    "os.environ": "return repr(dict(os.environ))",
    "its own block": "return open('/proc/self/environ').read()",
    "its parent's block": "return open(f'/proc/{os.getppid()}/environ').read()",
    "the grader's block": "return open(f'/proc/{bait[\"victim\"]}/environ').read()",
    "the C library's": "libc.getenv.restype = ctypes.c_char_p; return repr(libc.getenv(b'ATTNKIT_CANARY'))",
}

MEMORY_OF_OTHERS = {
    "the grader's memory file": """
with open(f'/proc/{bait["victim"]}/mem', 'rb', 0) as memory:
    memory.seek(bait['victim_address'])
    return memory.read(64).decode('latin-1')""",
    "process_vm_readv": """
class Part(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]
buffer = ctypes.create_string_buffer(64)
here, there = Part(ctypes.addressof(buffer), 64), Part(bait['victim_address'], 64)
pointer, number = ctypes.c_void_p, ctypes.c_ulong
libc.process_vm_readv.argtypes = [ctypes.c_int, pointer, number, pointer, number, number]
if libc.process_vm_readv(bait['victim'], ctypes.addressof(here), 1, ctypes.addressof(there), 1, 0) < 0:
    raise OSError(ctypes.get_errno(), 'refused')
return buffer.raw.decode('latin-1')""",
    "ptrace": "syscall(101, 16, bait['victim'], 0, 0); return True",
    "its parent's memory map": "return len(open(f'/proc/{os.getppid()}/maps').read()) > 0",
    "kcmp": "syscall(312, os.getpid(), bait['victim'], 0, 0, 0); return True",
    "a pidfd of the grader": "os.pidfd_open(bait['victim']); return True",
}

RUNS = {
    "fork": "child = os.fork()\nif child == 0: os._exit(0)\nreturn child > 0",
    "a raw clone": """
child = libc.syscall(ctypes.c_long(56), 17, 0, 0, 0, 0)
if child == 0: os._exit(0)
return child > 0""",
    "a raw clone3": """
arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17)
child = libc.syscall(ctypes.c_long(435), arguments, ctypes.c_long(88))
if child == 0: os._exit(0)
return child > 0""",
    "posix_spawn": "return os.posix_spawn('/bin/true', ['true'], {}) > 0",
    "subprocess": "import subprocess; return subprocess.run(['/bin/true']).returncode == 0",
    "os.system": "return os.system('true') == 0",
    "os.popen": "return os.popen('echo crossed').read()",
    "multiprocessing": """
import multiprocessing as m
p = m.get_context('fork').Process(target=int)
p.start()
return True""",
    "a pseudo-terminal": "import pty; pid, fd = pty.fork()\nif pid == 0: os._exit(0)\nreturn pid > 0",
    "exec of a shell": "os.execv('/bin/sh', ['sh', '-c', f'echo crossed > {bait[\"writable\"]}/exec'])",
    "execveat": """
arguments = (ctypes.c_char_p * 4)(b'sh', b'-c', f'echo crossed > {bait["writable"]}/execveat'.encode(), None)
syscall(322, -100, b'/bin/sh', arguments, (ctypes.c_char_p * 1)(None), 0)""",
    "a program in memory": """
fd = os.memfd_create('program', 0)
os.write(fd, b'#!/bin/sh\\ntouch ' + bait['writable'].encode() + b'/memfd\\n')
os.execve(fd, ['x'], {})""",
}

WRITES = {
    "open": "open(bait['writable'] + '/open', 'w').write('x')",
    "open to append": "open(bait['secret_file'], 'a').write('x'); return True",
    "a raw creat": "syscall(85, (bait['writable'] + '/creat').encode(), 0o644)",
    "a raw open": "syscall(2, (bait['writable'] + '/raw').encode(), 65, 0o644)",
    "a file without a name": "os.open(bait['writable'], os.O_TMPFILE | os.O_WRONLY); return True",
    "mkdir": "os.mkdir(bait['writable'] + '/folder')",
    "a link": "os.symlink('/', bait['writable'] + '/link')",
    "a named pipe": "os.mkfifo(bait['writable'] + '/pipe')",
    "rename": "os.rename(bait['losable'], bait['losable'] + '.moved'); return True",
    "remove": "os.remove(bait['losable']); return True",
    "truncate": "os.truncate(bait['losable'], 0); return True",
    "chmod": "os.chmod(bait['losable'], 0o777); return True",
    "a time stamp": "os.utime(bait['losable'], (0, 0)); return True",
    "an extended attribute": "os.setxattr(bait['losable'], 'user.x', b'x'); return True",
    "numpy.save": "import numpy as np; np.save(bait['writable'] + '/array.npy', np.ones(3))",
    "torch.save": "import torch; torch.save(torch.ones(3), bait['writable'] + '/tensor.pt')",
    "a shared mapping": """
import mmap
file = os.open(bait['losable'], os.O_RDWR)
mmap.mmap(file, 0)[0:1] = b'X'
return True""",
    "sqlite": "import sqlite3; sqlite3.connect(bait['writable'] + '/x.db').execute('create table x (y)')",
    "the shared memory of all": "open('/dev/shm/attnkit-crossing', 'w').write('x'); return True",
    "the kernel's settings": "open('/proc/sys/kernel/hostname', 'w').write('x'); return True",
    "its own oom score": "open('/proc/self/oom_score_adj', 'w').write('-1'); return True",
    "a module in the interpreter's folder": "open(os.__file__, 'a').close(); return True",
}

REACHES = {
    "TCP": "import socket; socket.create_connection(('127.0.0.1', bait['port']), 1); return True",
    "UDP": """
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', bait['port']))
return True""",
    "IPv6": "import socket; socket.socket(socket.AF_INET6); return True",
    "a web request": "import urllib.request as u; u.urlopen(f'http://127.0.0.1:{bait[\"port\"]}/', timeout=1)",
    "an abstract socket": """
import socket
s = socket.socket(socket.AF_UNIX)
s.connect('\\0' + bait['abstract'])
return True""",
    "a socket in the file system": """
import socket
s = socket.socket(socket.AF_UNIX)
s.connect(bait['socket'])
return True""",
    "a listening socket": "import socket; socket.create_server(('127.0.0.1', 0)); return True",
    "raw packets": "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW); return True",
    "netlink": "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW); return True",
    "a pair of sockets": "import socket; socket.socketpair(); return True",
    "asyncio": "import asyncio; asyncio.run(asyncio.open_connection('127.0.0.1', bait['port'])); return True",
    "a System V segment": "if libc.shmget(0x41544e, 4096, 0o1666) < 0: raise OSError('refused')\nreturn True",
    "a message queue": "if libc.msgget(0x41544e, 0o1666) < 0: raise OSError('refused')\nreturn True",
    "a POSIX message queue": """
if libc.syscall(ctypes.c_long(240), b'attnkit', 66, 0o600, 0) < 0: raise OSError('refused')
return True""",
}

HARMS = {
    "a signal to the grader": "os.kill(bait['victim'], 0); return True",
    "a signal to its parent": "os.kill(os.getppid(), 0); return True",
    "a signal to a group": "os.killpg(os.getpgid(bait['victim']), 0); return True",
    "a signal to everybody": "os.kill(-1, 0); return True",
    "a raw tgkill": "syscall(234, bait['victim'], bait['victim'], 0); return True",
    "a queued signal": "if libc.sigqueue(bait['victim'], 0, 0) < 0: raise OSError('refused')\nreturn True",
    "the grader's priority": "os.setpriority(os.PRIO_PROCESS, bait['victim'], 19); return True",
    "the grader's limits": """
import resource
resource.prlimit(bait['victim'], resource.RLIMIT_CPU, (1, 1))
return True""",
    "its own limits": "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9)); return True",
    "the grader's processors": "os.sched_setaffinity(bait['victim'], {0}); return True",
    "the host's name": "import socket; socket.sethostname(socket.gethostname()); return True",
    "its own death signal": "if libc.prctl(1, 0, 0, 0, 0) < 0: raise OSError('refused')\nreturn True",
    "a handle on the grader by its socket": """
handle, length = ctypes.c_int(-1), ctypes.c_int(4)
if libc.getsockopt(3, 1, 77, ctypes.byref(handle), ctypes.byref(length)) < 0: raise OSError(ctypes.get_errno(), 'x')
return handle.value >= 0""",
    "its memory made readable": "if libc.prctl(4, 1, 0, 0, 0) < 0: raise OSError('refused')\nreturn True",
}

KERNELS = {
    "a user namespace": "syscall(272, 0x10000000); return True",
    "a mount namespace": "syscall(272, 0x00020000); return True",
    "mount": "syscall(165, b'none', b'/tmp', b'tmpfs', 0, 0); return True",
    "chroot": "os.chroot('/tmp'); return True",
    "bpf": "syscall(321, 0, ctypes.create_string_buffer(128), 128); return True",
    "perf events": """
syscall(298, ctypes.create_string_buffer(b'\\0' * 4 + b'\\x70' + b'\\0' * 123), 0, -1, -1, 0)
return True""",
    "the key ring": "syscall(250, 0, -3, 1); return True",
    "userfaultfd": "syscall(323, 1); return True",
    "inotify": "syscall(294, 0); return True",
    "fanotify": "syscall(300, 0, 0); return True",
    "memfd": "os.memfd_create('x'); return True",
    "a timer": "import signal; signal.setitimer(signal.ITIMER_REAL, 9); return True",
    "a process's personality": "if libc.personality(0xffffffff) < 0: raise OSError('refused')\nreturn True",
    "flags on its socket, as for out-of-band bytes": "syscall(44, 3, b'', 0, 0x8000, 0, 0); return True",
    "another seccomp filter": "syscall(317, 2, 0, b'a'); return True",
    "32-bit system calls by number": "syscall(0x40000000 + 2, bait['secret_file'].encode(), 0); return True",
}

CROSSINGS = tuple(
    Crossing(f"{group}: {name}", wants, body)
    for group, wants, bodies in (
        ("read through", READ, {name: _through(body) for name, body in READS.items()}),
        ("read", READ, PLACES),
        ("environment from", "what the grader's environment holds", ENVIRONMENT),
        ("memory by", MEMORY, MEMORY_OF_OTHERS),
        ("run by", RUN, RUNS),
        ("write by", WRITE, WRITES),
        ("reach by", REACH, REACHES),
        ("harm by", HARM, HARMS),
        ("kernel:", KERNEL, KERNELS),
    )
    for name, body in bodies.items()
)
