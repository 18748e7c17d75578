/** Grants every permission a session can hold. */
export const EVERY_PERMISSION = '*'

/** `svc_cli` permission names of versions 1 and 2. */
export const SVC_CLI_PERMISSIONS = [
  'project.read',
  'project.write',
  'project.delete',
  'project.session.read',
  'project.session.start',
  'project.session.stop',
  'project.session.bindings.write',
  'project.members.read',
  'project.members.manage',
  'project.trigger.read',
  'project.trigger.create',
  'project.trigger.update',
  'project.trigger.delete',
  'project.trigger.fire',
  'project.gateway.logs.read',
  'project.gateway.spend.read',
  'project.gateway.budget.set',
  'project.gateway.keys.manage',
  'project.agent.read',
  'project.agent.write',
  'project.skill.read',
  'project.skill.write',
  'project.command.read',
  'project.command.write',
  'project.file.read',
  'project.file.write',
  'project.customize.read',
  'project.customize.write',
  'project.gitops.read',
  'project.gitops.push',
  'project.gitops.merge',
  'project.gitops.ref.any',
  'project.gitops.ref.delete',
  'project.secret.read',
  'project.secret.write',
  'project.connector.read',
  'project.connector.connections.manage',
  'project.connector.write',
  'project.app.read',
  'project.app.write',
  'project.app.deploy',
  'project.review.read',
  'project.review.submit',
  'project.review.act',
  'project.credentials.issue',
  'project.cr.open',
  'project.cr.merge',
  EVERY_PERMISSION,
] as const

/** Accepted in version 1 only, where they have no effect any more. */
export const SVC_CLI_PERMISSIONS_V1_ONLY = [
  'project.session.exec',
  'project.gateway.routing.edit',
  'project.schedule.read',
  'project.schedule.write',
  'project.webhook.read',
  'project.webhook.write',
  'channel.read',
  'channel.connect',
  'channel.send',
  'channel.disconnect',
] as const

export const SVC_CLI_PERMISSIONS_V1 = [...SVC_CLI_PERMISSIONS, ...SVC_CLI_PERMISSIONS_V1_ONLY] as const

export type SvcCliPermission = (typeof SVC_CLI_PERMISSIONS)[number]
