/**
 * Run by Perl; told in frames (see `writeFrame`) what to do, it ends when its input does or when something fails. The
 * numbers are those of Linux: calls by the machine that its own program file names (183: arm64, 62: x64), the rest the
 * same everywhere. Ends at once, and badly, where it does not know the calls. No module is loaded but `strict`: each takes
 * longer than all the steps together. A disk that it cannot attach by itself is left to `mount`, which knows more hosts;
 * so is one that the kernel has not let go of yet, or may not have, because `mount` takes the same device, and two would
 * ruin it.
 */
export const launcherProgram = String.raw`
use strict;
my %calls = (
  183 => { mount => 40, unshare => 97, setresuid => 147, setresgid => 149, setgroups => 159, prctl => 167, prlimit => 261 },
  62 => { prctl => 157, mount => 165, setgroups => 116, setresuid => 117, setresgid => 119, unshare => 272, prlimit => 302 },
);
open my $self, '<', '/proc/self/exe' or die "/proc/self/exe: $!\n";
sysread $self, my $head, 20;
my ($class, $machine) = unpack 'x4 C x13 S', $head;
my $number = $calls{$machine};
die "no calls are known for machine $machine\n" unless $number && $class == 2;
close $self;

my ($nosuid, $nodev, $noatime, $bind, $whole, $private) = (2, 4, 1024, 4096, 16384, 1 << 18);
my ($new_mounts, $core, $no_new_privileges) = (0x20000, 4, 38);
my ($get_free, $configure, $autoclear, $busy) = (0x4c82, 0x4c0a, 4, 16);

sub call {
  my ($name, @arguments) = @_;
  return syscall($number->{$name}, @arguments) == 0;
}
sub need { call(@_) or die "$_[0]: $!\n" }
sub mount {
  my ($from, $at, $type, $flags, $options) = @_;
  call('mount', $from, $at, $type, $flags, $options) or die "mount $from at $at: $!\n";
}

sub is_attached {
  my ($tail) = $_[0] =~ m{([^/]+/[^/]+)\z};
  opendir my $devices, '/sys/block' or return 1;
  for my $name (grep /^loop/, readdir $devices) {
    open my $file, '<', "/sys/block/$name/loop/backing_file" or next;
    return 1 if (readline($file) // '') =~ m{/\Q$tail\E$};
  }
  return 0;
}

sub attach {
  my ($image) = @_;
  return if is_attached($image);
  open my $control, '+<', '/dev/loop-control' or return;
  open my $file, '+<', $image or die "$image: $!\n";
  for (1 .. 64) {
    my $free = ioctl $control, $get_free, 0 or return;
    my $path = '/dev/loop' . (0 + $free);
    open my $loop, '+<', $path or return;
    my $settings = pack 'L L x40 x12 L Z64 x176', fileno $file, 0, $autoclear, $image;
    return ($path, $loop) if ioctl $loop, $configure, $settings;
    return if $! != $busy;
  }
  return;
}

my %steps = (
  view => sub {
    my ($at, $count, @made) = @_;
    mount('svc', $at, 'tmpfs', $nosuid | $nodev, 'mode=0755,size=64k');
    for my $folder (splice @made, 0, $count) { mkdir $folder, 0755 or die "$folder: $!\n" }
    for my $path (@made) { open my $file, '>', $path or die "$path: $!\n" }
  },
  bind => sub {
    my ($from, $at) = @_;
    mount($from, $at, 0, $bind, 0);
  },
  disk => sub {
    my ($image, $at) = @_;
    my ($device, $open) = attach($image);
    return mount($device, $at, 'ext4', $nosuid | $nodev | $noatime, 'discard') if $device;
    system('mount', '-t', 'ext4', '-o', 'loop,nosuid,nodev,noatime,discard', $image, $at) == 0 or exit 1;
  },
  fill => sub {
    my ($disk, $owner) = @_;
    return if -d "$disk/home";
    for my $folder ("$disk/workspace", "$disk/home.new") {
      -d $folder or mkdir $folder, 0700 or die "$folder: $!\n";
      $owner eq '' or chown $owner, $owner, $folder or die "$folder: $!\n";
    }
    rename "$disk/home.new", "$disk/home" or die "$disk: $!\n";
  },
  run => sub {
    my ($lines) = @_;
    system('sh', '-c', $lines) == 0 or exit 1;
  },
  join => sub {
    my ($path) = @_;
    open my $file, '>', $path or die "$path: $!\n";
    syswrite $file, '0' or die "$path: $!\n";
  },
  become => sub {
    my ($uid, @command) = @_;
    if ($uid ne '') {
      my $id = 0 + $uid;
      need('setgroups', 0, 0);
      need('setresgid', $id, $id, $id);
      need('setresuid', $id, $id, $id);
      need('prctl', $no_new_privileges, 1, 0, 0, 0);
    }
    open STDIN, '<', '/dev/null' or die "/dev/null: $!\n";
    exec { $command[0] } @command;
    die "$command[0]: $!\n";
  },
);

need('prlimit', 0, $core, pack('Q2', 0, 0), 0);
if (($ARGV[0] // '') eq 'apart') {
  need('unshare', $new_mounts);
  mount('none', '/', 0, $whole | $private, 0);
}
my $input = '';
for (;;) {
  if ($input =~ /\A(\d+)\n/ && length($input) >= $+[0] + $1) {
    my ($from, $size) = ($+[0], $1);
    my @words = split /\0/, substr($input, $from, $size), -1;
    $input = substr $input, $from + $size;
    while (@words) {
      my ($step, @arguments) = splice @words, 0, shift @words;
      ($steps{$step} // die "$step is no step\n")->(@arguments);
    }
    next;
  }
  sysread STDIN, $input, 65536, length $input or exit 0;
}
`
