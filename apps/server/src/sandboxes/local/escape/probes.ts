import { examinedCalls, refusedCalls } from '../seccomp/refused-calls.ts'
import { type Baits, word } from './baits.ts'

/** A way out that somebody could try. The script prints `ESCAPED` when it got through. */
export interface Probe {
  readonly name: string
  readonly script: string
}

export interface Surroundings {
  readonly baits: Baits
  readonly dataDir: string
  /** Another machine of the same host, its user, and words in its files and command lines. */
  readonly other: {
    readonly externalId: string
    readonly hostUid: number | undefined
    readonly word: string
    readonly port: number
  }
  readonly serviceKey: string
}

const works = (command: string) => `(${command}) > /dev/null 2>&1 && echo ESCAPED`
const finds = (text: string, command: string) => `${command} 2> /dev/null | grep -aq '${text}' && echo ESCAPED`
const dials = (target: string, kind = 'INET') =>
  `perl -MIO::Socket::${kind} -e '$SIG{ALRM} = sub { exit 1 }; alarm 3; my $s = IO::Socket::${kind}->new(${target}) or exit 1; print $s "GET / HTTP/1.0\\r\\n\\r\\n"; read($s, my $b, 4); print "ESCAPED" if length $b'`
const calls = (number: number | undefined, args = '0, 0, 0, 0, 0, 0') =>
  `perl -e 'print "ESCAPED" if syscall(${number ?? 9999}, ${args}) != -1'`

export function listProbes({ baits, dataDir, other, serviceKey }: Surroundings): Probe[] {
  const arch = process.arch === 'x64' ? 'x64' : 'arm64'
  const machine = `${dataDir}/sandboxes/machines/${other.externalId}`
  const probe = (name: string, script: string): Probe => ({ name, script })
  return [
    // Files of the host.
    probe('the password file', works('cat /etc/shadow')),
    probe('a file by its path', finds(word, `cat ${baits.file}`)),
    probe('a file through the first process', finds(word, `cat /proc/1/root${baits.file}`)),
    probe('a file through its own root', finds(word, `cat /proc/self/root/../../../..${baits.file}`)),
    probe('a file through a working folder', finds(word, `cat /proc/1/cwd/..${baits.file}`)),
    probe('a file through a link', `ln -sf ${baits.file} /workspace/l; ${finds(word, 'cat /workspace/l')}`),
    probe('a file through a hard link', works(`ln ${baits.file} /workspace/h`)),
    probe('a hard link to a system file', works('ln /usr/bin/perl /workspace/p')),
    probe('every file there is', finds(word, `find / -xdev -name secret -exec cat {} +`)),
    probe('homes of the host', 'ls /root /home | grep -v "^agent$\\|^/\\|^$" | grep -q . && echo ESCAPED'),
    probe('the platform’s data', works(`ls ${dataDir}`)),
    probe('changing a program of the host', works('touch /usr/bin/perl')),
    probe('a new program of the host', works('echo x > /usr/bin/svc-escape')),
    probe('changing the users', works('echo r::0:0:::/bin/sh >> /etc/passwd')),
    probe('changing the daemon', works('echo x >> /opt/svc/sandboxd/sandboxd.mjs')),
    probe('changing the folder of the host’s sockets', works('touch /run/svc-host/x')),
    probe('removing the host’s sockets', works('rm -r /run/svc-host')),
    // Other machines.
    probe('another machine’s disk', works(`ls ${machine}`)),
    probe(
      'another machine’s processes',
      finds(`${other.word.slice(0, -1)}[${other.word.slice(-1)}]`, 'cat /proc/*/cmdline'),
    ),
    probe('another machine’s port', dials(`PeerAddr => "127.0.0.1:${other.port}"`)),
    probe('another machine’s abstract socket', dials(`"\\0${other.word}"`, 'UNIX')),
    probe('another machine’s daemon', dials(`"${machine}/run/egress.sock"`, 'UNIX')),
    // Processes of the host.
    probe('signals to a process of the host', works(`kill -0 ${baits.pid}`)),
    probe(
      'the processes of the host',
      works(`test -e /proc/${baits.pid}/cmdline && ! grep -q sh /proc/${baits.pid}/comm`),
    ),
    probe('the first process’s environment', finds('SVC_\\|SECRET', 'cat /proc/1/environ')),
    probe('more than its own processes', 'test $(ls -d /proc/[0-9]* | wc -l) -gt 20 && echo ESCAPED'),
    // The network.
    probe('a port of the host by loopback', dials(`PeerAddr => "127.0.0.1:${baits.port}"`)),
    ...baits.addresses.map((address) =>
      probe(`a port of the host at ${address}`, dials(`PeerAddr => "${address}:${baits.port}"`)),
    ),
    probe('the metadata service', dials('PeerAddr => "169.254.169.254:80", Timeout => 2')),
    probe('the world', dials('PeerAddr => "1.1.1.1:80", Timeout => 2')),
    probe('names', works('getent ahostsv4 example.com')),
    probe('a socket of the host by its path', dials(`"${baits.socket}"`, 'UNIX')),
    probe('an abstract socket of the host', dials(`"\\0${baits.abstract}"`, 'UNIX')),
    probe(
      'sockets of container engines',
      works('ls /run/docker.sock /var/run/docker.sock /run/podman/podman.sock /run/dbus'),
    ),
    probe('raw sockets', `perl -MSocket -e 'print "ESCAPED" if socket(S, AF_INET, SOCK_RAW, 1)'`),
    probe('packet sockets', `perl -MSocket -e 'print "ESCAPED" if socket(S, 17, SOCK_RAW, 768)'`),
    probe('host sockets of virtual machines', `perl -MSocket -e 'print "ESCAPED" if socket(S, 40, SOCK_STREAM, 0)'`),
    probe('an interface of its own', works('ip link add type dummy')),
    // Devices.
    ...['vda', 'sda', 'nvme0n1', 'mem', 'kmsg', 'loop0', 'loop-control', 'fuse', 'kvm'].map((name) =>
      probe(`/dev/${name}`, works(`head -c 1 /dev/${name}`)),
    ),
    probe('a device of its own', works('mknod /workspace/d b 7 0')),
    probe('a device of its own, read', `mknod /workspace/d c 1 1 2> /dev/null; ${works('head -c 1 /workspace/d')}`),
    probe('the kernel’s memory', works('test -s /proc/kcore && head -c 1 /proc/kcore')),
    probe('addresses in the kernel', works('grep -v "^0000000000000000" /proc/kallsyms')),
    probe('the magic key', works('echo h > /proc/sysrq-trigger')),
    probe('settings of the kernel', works('echo x > /proc/sys/kernel/core_pattern')),
    probe('the kernel’s settings of devices', works('ls /sys/class')),
    probe('limits of its own making', works('ls /sys/fs/cgroup || mount -t cgroup none /workspace')),
    // Users and rights.
    probe(
      'root by a setuid copy',
      `cp /usr/bin/id /workspace/i; chmod 6755 /workspace/i; ${finds('=0(', '/workspace/i')}`,
    ),
    probe('root by su', finds('uid=0', 'echo | timeout 3 su -c id')),
    probe('root by a user namespace', finds('uid=0', 'unshare -U -r id')),
    probe('a mapping of its own', works('echo "0 0 1" > /proc/self/uid_map')),
    probe('capabilities', 'grep -q "CapBnd:.*[1-9a-f]" /proc/self/status && echo ESCAPED'),
    probe('privileges by a program', 'grep -q "NoNewPrivs:.*0" /proc/self/status && echo ESCAPED'),
    probe('another user', calls(arch === 'x64' ? 105 : 146, '0')),
    probe('a better place in line', works('nice -n -5 true && renice -n -5 $$')),
    probe('protection from the end of memory', works('echo -900 > /proc/self/oom_score_adj')),
    // Namespaces, mounts, the kernel.
    probe('a mount', works('mount -t tmpfs none /workspace')),
    probe('a writable /usr', works('mount -o remount,rw /usr')),
    probe('the namespaces of the first process', works('nsenter -t 1 -m true')),
    probe('another root', works('chroot /workspace true')),
    probe('another name of the machine', works('hostname escaped')),
    probe('another time', works('date -s 2001-01-01')),
    probe('watching another process', calls(refusedCalls.ptrace[arch], '16, 1, 0, 0')),
    probe('writing into another process', calls(refusedCalls.process_vm_writev[arch])),
    probe('files by their numbers', calls(refusedCalls.open_by_handle_at[arch])),
    probe('keys of the kernel', calls(refusedCalls.keyctl[arch], '0, -4, 0')),
    probe('programs in the kernel', calls(refusedCalls.bpf[arch])),
    probe('rings of requests', calls(refusedCalls.io_uring_setup[arch], '1, 0')),
    probe('a namespace by clone', calls(examinedCalls.clone[arch], '0x10000011')),
    probe('typing into a terminal', `script -qc 'perl -e "ioctl(STDIN, 0x5412, q(x)) and print q(ESCAPED)"' /dev/null`),
    // What the platform hands in.
    probe('the boot file', works('cat /run/svc/boot.json')),
    probe('the service key in an environment', finds(serviceKey, 'cat /proc/*/environ')),
    probe('the service key in a file', finds(serviceKey, 'grep -ra "service key" /run /tmp /home /workspace /etc')),
    probe(
      'what the platform has open',
      `ls -l /proc/1/fd /proc/self/fd | grep -q '/workspace/../\\|${dataDir}\\|bpf' && echo ESCAPED`,
    ),
    probe(
      'descriptors beyond its own',
      'for f in $(seq 3 1024); do { test -e /proc/self/fd/$f && readlink /proc/$$/fd/$f; } 2> /dev/null; done | grep -v "^/dev/null$\\|/proc/" | grep -q . && echo ESCAPED',
    ),
  ]
}
