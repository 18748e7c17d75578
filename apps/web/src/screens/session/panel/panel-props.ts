/** Whose details a panel shows. */
export interface PanelProps {
  readonly projectId: string
  readonly sessionId: string
}
