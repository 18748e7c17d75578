import { type FeatureFlag, featureFlagKeys, featureFlags } from '@svc/contract'
import { problem } from '../kernel/http/index.ts'
import type { ProjectRow } from './store/projects.ts'

/** What the operator and the deployment decide about flags. Absent: available, with the default of the table. */
export interface FlagSettings {
  readonly isAvailable?: (feature: FeatureFlag) => boolean
  readonly defaultOf?: (feature: FeatureFlag) => boolean | undefined
}

/** The operator's settings and what the deployment can run, as rules for flags. */
export function flagsOf(llmGateway: 'on' | 'off' | 'unavailable', canRunMonitors: () => boolean): FlagSettings {
  return {
    isAvailable(feature) {
      if (feature === 'llm_gateway') return llmGateway !== 'unavailable'
      return feature === 'monitors' ? canRunMonitors() : true
    },
    defaultOf: (feature) => (feature === 'llm_gateway' ? llmGateway === 'on' : undefined),
  }
}

type Overrides = Pick<ProjectRow, 'featureOverrides'>

/** `available and (override or default)`. */
export function isFeatureEnabled(project: Overrides, feature: FeatureFlag, settings: FlagSettings): boolean {
  if (settings.isAvailable?.(feature) === false) return false
  const override = project.featureOverrides[feature]
  return override ?? settings.defaultOf?.(feature) ?? featureFlags[feature].default
}

export function listFeatures(project: Overrides, settings: FlagSettings) {
  return featureFlagKeys.map((key) => {
    const { name, description, stability } = featureFlags[key]
    return {
      key,
      name,
      description,
      stability,
      available: settings.isAvailable?.(key) ?? true,
      enabled: isFeatureEnabled(project, key, settings),
      overridden: project.featureOverrides[key] !== undefined,
    }
  })
}

/** The refusal of a route whose flag is off. Ask for it only after the caller was let into the project. */
export function featureDisabled(feature: FeatureFlag) {
  return problem('feature_disabled', {
    say: `${featureFlags[feature].name} is turned off for this project.`,
    extras: { feature },
  })
}
