import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createPreviewHosts, isOnPreviewHost, isPreviewTemplate } from './preview-hosts.ts'

const machine = 'sb0123456789abcdefgh'

function arrive(host: string, url: string) {
  const incoming = new IncomingMessage(new Socket())
  incoming.headers.host = host
  incoming.url = url
  return incoming
}

test('every path of a preview’s host is the preview’s, and nothing of the platform answers there', () => {
  const hosts = createPreviewHosts(undefined)
  const incoming = arrive(`p3000-${machine}.localhost:8008`, '/v1/accounts?x=1')
  hosts.rewrite(incoming)
  expect(incoming.url).toBe(`/v1/p/${machine}/3000/v1/accounts?x=1`)
  expect(isOnPreviewHost(incoming)).toBe(true)
})

test('other hosts stay as they are', () => {
  const hosts = createPreviewHosts('https://p{port}-{sandbox}.previews.example.com')
  for (const host of [
    'localhost:8008',
    `p3000-${machine}.example.com`,
    `px-${machine}.localhost`,
    'p3000-x.localhost',
  ]) {
    const incoming = arrive(host, '/v1/health')
    hosts.rewrite(incoming)
    expect([incoming.url, isOnPreviewHost(incoming)]).toEqual(['/v1/health', false])
  }
  expect(hosts.isPreviewHost(`p80-${machine}.previews.example.com`)).toBe(true)
  expect(hosts.isPreviewHost(`p80-${machine}.previewsXexample.com`)).toBe(false)
})

test('a template needs both slots in its host name', () => {
  expect(isPreviewTemplate('https://p{port}-{sandbox}.previews.example.com')).toBe(true)
  for (const bad of [
    'https://previews.example.com',
    'https://{sandbox}.example.com',
    'p{port}-{sandbox}.example.com',
  ]) {
    expect(isPreviewTemplate(bad)).toBe(false)
  }
})
