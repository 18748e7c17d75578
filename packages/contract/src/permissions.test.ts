import { describe, expect, test } from 'vitest'
import { accountPermissions, isPermission, permissionCatalog, projectPermissions, scopeOf } from './permissions.ts'
import { findSystemRole, systemRoles } from './roles.ts'

describe('the permission catalog', () => {
  test('has 27 account and 45 project actions, 17 of them for system roles alone', () => {
    expect([accountPermissions.length, projectPermissions.length]).toEqual([27, 45])
    expect(permissionCatalog.filter((row) => !row.delegable)).toHaveLength(17)
  })

  test('implies only actions that exist, and of the same scope', () => {
    for (const { action, implies } of permissionCatalog) {
      for (const implied of implies) {
        expect([action, implied, isPermission(implied)]).toEqual([action, implied, true])
        if (isPermission(implied)) expect(scopeOf(implied)).toBe(scopeOf(action))
      }
    }
  })

  test('an owner holds every account action, an admin three fewer, a manager every project action', () => {
    expect(findSystemRole('builtin:owner')?.actions.size).toBe(27)
    expect(findSystemRole('builtin:admin')?.actions.size).toBe(24)
    expect(findSystemRole('builtin:manager')?.actions.size).toBe(45)
    expect(findSystemRole('builtin:user')?.actions.size).toBe(15)
    expect(findSystemRole('builtin:agent-user')?.actions.size).toBe(0)
  })

  test('a system role carries actions of its own scope only', () => {
    for (const role of systemRoles) {
      for (const action of role.actions) expect(scopeOf(action)).toBe(role.resource_type)
    }
  })
})
