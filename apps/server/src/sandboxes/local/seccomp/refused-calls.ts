/** Numbers of one system call; undefined where an architecture does not have it. */
export interface CallNumbers {
  readonly x64: number | undefined
  readonly arm64: number | undefined
}

const call = (x64: number | undefined, arm64: number | undefined): CallNumbers => ({ x64, arm64 })

/** Calls that fail with EPERM whatever their arguments: no agent's work needs them, and most escapes do. */
export const refusedCalls = {
  // Other processes' memory and files.
  ptrace: call(101, 117),
  process_vm_readv: call(310, 270),
  process_vm_writev: call(311, 271),
  process_madvise: call(440, 440),
  kcmp: call(312, 272),
  pidfd_getfd: call(438, 438),
  // Mounts and roots.
  mount: call(165, 40),
  umount2: call(166, 39),
  pivot_root: call(155, 41),
  chroot: call(161, 51),
  open_tree: call(428, 428),
  move_mount: call(429, 429),
  fsopen: call(430, 430),
  fsconfig: call(431, 431),
  fsmount: call(432, 432),
  fspick: call(433, 433),
  mount_setattr: call(442, 442),
  open_tree_attr: call(467, 467),
  // Namespaces; `clone` is looked at by its flags.
  unshare: call(272, 97),
  setns: call(308, 268),
  // Files by number, past the folders they lie in.
  name_to_handle_at: call(303, 264),
  open_by_handle_at: call(304, 265),
  // The kernel's key store is not divided by namespaces.
  add_key: call(248, 217),
  request_key: call(249, 218),
  keyctl: call(250, 219),
  // Large parts of the kernel with a history.
  bpf: call(321, 280),
  perf_event_open: call(298, 241),
  userfaultfd: call(323, 282),
  io_uring_setup: call(425, 425),
  io_uring_enter: call(426, 426),
  io_uring_register: call(427, 427),
  fanotify_init: call(300, 262),
  fanotify_mark: call(301, 263),
  lookup_dcookie: call(212, 18),
  // Where memory lies on the host.
  mbind: call(237, 235),
  set_mempolicy: call(238, 237),
  set_mempolicy_home_node: call(450, 450),
  migrate_pages: call(256, 238),
  move_pages: call(279, 239),
  // The host itself.
  kexec_load: call(246, 104),
  kexec_file_load: call(320, 294),
  init_module: call(175, 105),
  finit_module: call(313, 273),
  delete_module: call(176, 106),
  create_module: call(174, undefined),
  get_kernel_syms: call(177, undefined),
  query_module: call(178, undefined),
  reboot: call(169, 142),
  swapon: call(167, 224),
  swapoff: call(168, 225),
  acct: call(163, 89),
  quotactl: call(179, 60),
  quotactl_fd: call(443, 443),
  syslog: call(103, 116),
  settimeofday: call(164, 170),
  clock_settime: call(227, 112),
  clock_adjtime: call(305, 266),
  adjtimex: call(159, 171),
  sethostname: call(170, 161),
  setdomainname: call(171, 162),
  vhangup: call(153, 58),
  nfsservctl: call(180, 42),
  iopl: call(172, undefined),
  ioperm: call(173, undefined),
  modify_ldt: call(154, undefined),
  uselib: call(134, undefined),
  sysfs: call(139, undefined),
  _sysctl: call(156, undefined),
} as const satisfies Record<string, CallNumbers>

/** Calls that are refused for some arguments only. */
export const examinedCalls = {
  clone: call(56, 220),
  clone3: call(435, 435),
  ioctl: call(16, 29),
  personality: call(135, 92),
  socket: call(41, 198),
} as const satisfies Record<string, CallNumbers>
