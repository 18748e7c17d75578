import { AGENTS } from './rules/agents.ts'
import { CHANNELS_AND_APPS } from './rules/channels-and-apps.ts'
import { CONNECTORS } from './rules/connectors.ts'
import type { RuleFixture } from './rules/rule-fixture.ts'
import { SANDBOX } from './rules/sandbox.ts'
import { SECTIONS } from './rules/sections.ts'
import { TRIGGERS } from './rules/triggers.ts'

export const RULE_FIXTURES: readonly RuleFixture[] = [
  ...SECTIONS,
  ...SANDBOX,
  ...AGENTS,
  ...TRIGGERS,
  ...CONNECTORS,
  ...CHANNELS_AND_APPS,
]
