/** What a client asks for, in which protocol. */
export type Endpoint = 'chat' | 'messages' | 'responses' | 'embeddings'
