/** Versions of the manifest this package understands; the last one is the current one. */
export const MANIFEST_VERSIONS = [1, 2] as const
export type ManifestVersion = (typeof MANIFEST_VERSIONS)[number]
export const LATEST_MANIFEST_VERSION: ManifestVersion = 2

export const MANIFEST_FILENAME_YAML = 'svc.yaml'
export const MANIFEST_FILENAME_TOML = 'svc.toml'
export const DEFAULT_CONFIG_DIR = '.svc/opencode'

/** 1 to 128 characters: lowercase letters, digits, `_` and `-`, the first one a letter or digit. */
export const SLUG_PATTERN = '^[a-z0-9][a-z0-9_-]{0,127}$'
export const ENV_NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_]*$'
export const UPPER_ENV_NAME_PATTERN = '^[A-Z_][A-Z0-9_]*$'
export const DURATION_PATTERN = '^([1-9][0-9]*)(s|m|h|d)$'
/** A relative path: not empty, no leading `/`, no `..` segment. */
export const RELATIVE_PATH_PATTERN = '^(?!/)(?!(?:[\\s\\S]*/)?\\.\\.(?:/|$))[\\s\\S]+$'

export const AGENT_RUNTIMES = ['opencode', 'pi'] as const
export const GRANT_WORDS = ['all', 'none'] as const
export const WORKSPACE_MODES = ['runtime', 'read', 'branch'] as const

/** The reserved slug of the platform image. */
export const PLATFORM_TEMPLATE_SLUG = 'default'
export const TEMPLATE_SLUG_ADVISED_MAX_CHARS = 64
export const TEMPLATE_CEILINGS = { cpu: 32, memory: 128, disk: 500 } as const
/** Keys of a template that people write directly under `sandbox` by mistake. */
export const TEMPLATE_ONLY_KEYS = [
  'image',
  'dockerfile',
  'slug',
  'cpu',
  'memory',
  'disk',
  'entrypoint',
  'context',
  'context_dir',
  'gpu',
] as const

export const TRIGGER_TYPES = ['cron', 'webhook', 'monitor'] as const
export const SESSION_MODES = ['fresh', 'reuse', 'pinned', 'keyed'] as const
export const MONITOR_MODES = ['poll', 'stream'] as const
export const MONITOR_RUN_MAX_CHARS = 1024
export const MONITOR_INTERVAL_FLOOR_SECONDS = 30
export const MONITOR_EXPECT_EVENT_FLOOR_SECONDS = 300
/** What `enabled` may say when it is a string; case does not matter. */
export const ENABLED_WORDS = ['true', 'false', '1', '0', 'yes', 'no', 'on', 'off'] as const

export const CONNECTOR_PROVIDERS = [
  'pipedream',
  'composio',
  'mcp',
  'openapi',
  'postman',
  'graphql',
  'http',
  'channel',
] as const
/** Created by pairing a machine, never written by hand. */
export const COMPUTER_PROVIDER = 'computer'
export const CHANNEL_PLATFORMS = ['slack', 'teams', 'email'] as const
export const CHANNEL_CONNECTOR_SLUGS = ['svc_slack', 'svc_teams', 'svc_email'] as const
export const CONNECTOR_TRANSPORTS = ['http', 'sse'] as const
export const AUTHORIZATION_STRATEGIES = ['project', 'user'] as const
export const CONNECTOR_AUTH_TYPES = [
  'bearer',
  'basic',
  'custom',
  'api_key',
  'oauth1',
  'hmac',
  'aws_sigv4',
  'mtls',
  'none',
] as const
export const OAUTH1_PROVIDERS = ['openapi', 'postman', 'http'] as const
export const POLICY_ACTIONS = ['always_run', 'require_approval', 'block'] as const

export const HEADERS_MAX_ENTRIES = 32
export const HEADER_NAME_PATTERN = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
export const HEADER_NAME_MAX_CHARS = 128
export const HEADER_VALUE_PATTERN = '^[^\\r\\n]*$'
export const HEADER_VALUE_MAX_CHARS = 2048
/** Header names owned by the transport, lower case. */
export const RESERVED_HEADER_NAMES = [
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const

export const APP_TYPES = ['static', 'bundle', 'dockerfile', 'oci_image'] as const
export const APP_RESERVED_PORTS = [7331, 8080] as const
export const RESERVED_ENV_PREFIXES = ['SVC_', 'OPENCODE_'] as const
export const RESERVED_ENV_NAMES = [
  'PORT',
  'PATH',
  'HOME',
  'PWD',
  'USER',
  'LOGNAME',
  'SHELL',
  'HOSTNAME',
  'TERM',
  'TMPDIR',
  'NODE_ENV',
  'NODE_OPTIONS',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'SLACK_SIGNING_SECRET',
  'SLACK_BOT_TOKEN',
] as const
