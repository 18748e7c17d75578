import 'reflect-metadata'
import { createPrivateKey, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const dayMs = 24 * 60 * 60_000
const authorityDays = 3_650
const leafDays = 30
/** A certificate made on a machine whose clock is a little ahead is valid on the others. */
const skewMs = dayMs
const cachedLeaves = 500
const signing = { name: 'ECDSA', hash: 'SHA-256' }
const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' }

export interface AuthorityFiles {
  readonly certificatePem: string
  readonly keyPem: string
  readonly expiresAt: Date
}

/** What makes the certificates that one project's sandboxes trust. */
export interface Authority {
  readonly certificatePem: string
  readonly expiresAt: Date
  /** A certificate for one host, made once and kept while it is used. */
  contextFor(host: string): Promise<SecureContext>
}

export async function makeAuthority(name: string, nowMs: number): Promise<AuthorityFiles> {
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])
  const expiresAt = new Date(nowMs + authorityDays * dayMs)
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${name}`,
      notBefore: new Date(nowMs - skewMs),
      notAfter: expiresAt,
      signingAlgorithm: signing,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  )
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  const keyPem = createPrivateKey({ key, format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' })
  return { certificatePem: `${certificate.toString('pem')}\n`, keyPem: keyPem.toString(), expiresAt }
}

export async function openAuthority({ certificatePem, keyPem, expiresAt }: AuthorityFiles): Promise<Authority> {
  const issuer = new X509Certificate(certificatePem)
  const issuerKey = await webcrypto.subtle.importKey(
    'pkcs8',
    createPrivateKey(keyPem).export({ format: 'der', type: 'pkcs8' }),
    keyAlgorithm,
    false,
    ['sign'],
  )
  // Every host's certificate has the same key: it never leaves this process.
  const leafKeys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])
  const leafKey = createPrivateKey({
    key: Buffer.from(await webcrypto.subtle.exportKey('pkcs8', leafKeys.privateKey)),
    format: 'der',
    type: 'pkcs8',
  })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString()
  const leaves = new Map<string, { context: Promise<SecureContext>; untilMs: number }>()

  async function makeLeaf(host: string, nowMs: number): Promise<SecureContext> {
    const leaf = await X509CertificateGenerator.create(
      {
        subject: 'CN=svc egress',
        issuer: issuer.subject,
        notBefore: new Date(nowMs - skewMs),
        notAfter: new Date(Math.min(nowMs + leafDays * dayMs, expiresAt.getTime())),
        signingAlgorithm: signing,
        publicKey: leafKeys.publicKey,
        signingKey: issuerKey,
        extensions: [
          new BasicConstraintsExtension(false, undefined, true),
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
          new SubjectAlternativeNameExtension([{ type: isIP(host) ? 'ip' : 'dns', value: host }]),
          await AuthorityKeyIdentifierExtension.create(issuer.publicKey, false, webcrypto),
        ],
      },
      webcrypto,
    )
    return createSecureContext({ cert: `${leaf.toString('pem')}\n${certificatePem}`, key: leafKey })
  }

  return {
    certificatePem,
    expiresAt,
    contextFor(host) {
      const nowMs = Date.now()
      const known = leaves.get(host)
      if (known && known.untilMs > nowMs) return known.context
      if (leaves.size >= cachedLeaves) leaves.clear()
      const context = makeLeaf(host, nowMs)
      leaves.set(host, { context, untilMs: nowMs + (leafDays / 2) * dayMs })
      context.catch(() => leaves.delete(host))
      return context
    },
  }
}
