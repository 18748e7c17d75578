/** What a launcher can be told to do. Nothing here is text of a program but the lines of `run`. */
export type LaunchStep =
  /** A small folder in memory, with folders and files that others are mounted on. */
  | {
      readonly do: 'view'
      readonly at: string
      readonly folders: readonly string[]
      readonly files: readonly string[]
    }
  | { readonly do: 'bind'; readonly from: string; readonly at: string }
  /** A file with a file system. */
  | { readonly do: 'mountDisk'; readonly image: string; readonly at: string }
  /** Makes the guest's folders on a disk that has none; cut off at any point, it begins anew. */
  | { readonly do: 'fillDisk'; readonly disk: string; readonly owner: number | undefined }
  /** Lines of a shell, up to the first that fails. */
  | { readonly do: 'run'; readonly lines: readonly string[] }
  /** Puts itself into a group of limits. */
  | { readonly do: 'join'; readonly file: string }
  /** Becomes a program without input, as a user who can never be another again. Undefined: as who it is. */
  | { readonly do: 'become'; readonly uid: number | undefined; readonly command: readonly string[] }
