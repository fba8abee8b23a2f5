// What of a passing request concerns the vendor's account, which all callers share.
import { describe, expect, test } from 'bun:test'
import { textOf } from '../framing/fixtures/buffer-codec.ts'
import { ask, edit, type Id, read } from './fixtures/passing-requests.ts'
import { joinEdits } from './passing-request.ts'

describe('fields that change the price', () => {
  const F = '{"type":"function","name":"f","parameters":{"type":"object"},"strict":false}'
  const CHAT_F = '{"type":"function","function":{"name":"f"}}'
  const M = '{"name":"f","input_schema":{"type":"object"}}'
  const G = '{"functionDeclarations":[{"name":"f"}]}'
  /** Words, those that can be taken out first. */
  const table: [Id, string, removable: string[], forced?: string[]][] = [
    ['chat', '', []],
    ['chat', '"service_tier":"default"', []],
    ['chat', '"service_tier":null', []],
    ['chat', '"service_tier":"auto"', ['auto']],
    ['chat', '"service_tier":"priority"', ['priority']],
    ['chat', '"web_search_options":{}', ['web_search']],
    ['chat', '"search_parameters":{"mode":"auto"}', ['web_search']],
    ['chat', '"search_parameters":{"mode":"off"}', []],
    ['chat', '"modalities":["text"]', []],
    ['chat', '"modalities":["text","audio"],"audio":{"voice":"v","format":"wav"}', [], ['audio']],
    ['chat', `"tools":[${CHAT_F},{"type":"builtin_function","function":{"name":"$web_search"}}]`, ['web_search']],
    ['responses', '"service_tier":"flex"', ['flex']],
    ['responses', `"tools":[${F}]`, []],
    ['responses', `"tools":[${F},{"type":"web_search_preview"},{"type":"web_search"}]`, ['web_search']],
    [
      'responses',
      `"tools":[${F},{"type":"file_search","vector_store_ids":[]},{"type":"image_generation"}]`,
      ['file_search', 'image_generation'],
    ],
    ['responses', `"tools":[${F},{"type":"code_interpreter","container":{"type":"auto"}}]`, ['code_interpreter']],
    ['responses', `"tools":[${F},{"type":"shell","environment":{"type":"container_auto"}}]`, ['container']],
    ['responses', `"tools":[${F},{"type":"shell"},{"type":"mcp","server_label":"l","server_url":"https://a.b"}]`, []],
    ['responses', '"tools":[{"type":"web_search"}]', [], ['web_search']],
    ['responses', `"tools":[${F},{"type":"web_search"}],"tool_choice":{"type":"web_search"}`, [], ['web_search']],
    [
      'responses',
      `"tools":[${F},{"type":"web_search"}],"tool_choice":{"type":"web_search_preview"}`,
      [],
      ['web_search'],
    ],
    ['responses', `"tools":[${F},{"type":"web_search"}],"tool_choice":"required"`, ['web_search']],
    [
      'responses',
      `"tools":[${F},{"type":"web_search"}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"web_search"}]}`,
      [],
      ['web_search'],
    ],
    ['messages', '"service_tier":"standard_only","speed":"standard"', []],
    ['messages', '"service_tier":"auto","speed":"fast"', ['auto', 'fast']],
    ['messages', '"inference_geo":"us"', [], ['inference_geo']],
    [
      'messages',
      `"tools":[${M},{"type":"web_search_20250305","name":"web_search"},{"type":"code_execution_20250825","name":"code_execution"}]`,
      ['web_search', 'code_execution'],
    ],
    [
      'messages',
      `"tools":[${M},{"type":"bash_20250124","name":"bash"},{"type":"web_fetch_20250910","name":"web_fetch"}]`,
      [],
    ],
    [
      'messages',
      `"tools":[${M},{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"tool","name":"web_search"}`,
      [],
      ['web_search'],
    ],
    [
      'messages',
      `"tools":[${M},{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"tool","name":"f"}`,
      ['web_search'],
    ],
    ['generate-content', '"serviceTier":"standard"', []],
    ['generate-content', '"service_tier":"SERVICE_TIER_PRIORITY"', ['priority']],
    [
      'generate-content',
      `"tools":[${G},{"googleSearch":{}},{"google_maps":{}},{"urlContext":{}}]`,
      ['web_search', 'google_maps'],
    ],
    ['generate-content', '"tools":[{"googleSearch":{}}]', [], ['web_search']],
    ['generate-content', '"tools":[{"codeExecution":{},"googleSearch":{}}]', ['web_search']],
    ['generate-content', '"generationConfig":{"responseModalities":["AUDIO"]}', [], ['audio']],
  ]
  test.each(table)('%s %s', (id, members, removable, forced = []) => {
    const json = ask(id, members)
    const request = read(id, json)
    const words = (isForced: boolean) =>
      request.priced.filter(({ remove }) => (remove === undefined) === isForced).map(({ word }) => word)
    expect(words(false)).toEqual(removable)
    expect(words(true)).toEqual(forced)
    // Taken out, nothing is left of them, and what else was there still is.
    const edits = joinEdits(request.priced.flatMap(({ remove }) => remove ?? []))
    const after = textOf(request.edited(edits))
    expect(read(id, after).priced.map(({ word }) => word)).toEqual(forced)
    const { tools, ...rest } = JSON.parse(after)
    const { tools: toolsBefore, ...restBefore } = JSON.parse(json)
    for (const name of Object.keys(rest)) expect(rest[name]).toEqual(restBefore[name])
    if (toolsBefore !== undefined)
      expect(JSON.stringify(tools)).toMatch(forced.length > 0 ? /search/i : /"f"|codeExecution/)
  })

  test('other tools keep their bytes', () => {
    const tool = '{ "type" : "function", "name":"f","parameters" : {"type":"object" } , "strict":false}'
    const json = ask('responses', `"tools":[ {"type":"web_search"},\n ${tool} ]`)
    expect(edit('responses', json, { withoutTools: ['web_search'] })).toBe(ask('responses', `"tools":[\n ${tool} ]`))
  })
})

describe('objects kept at a vendor', () => {
  const part = (id: Id, content: string): string =>
    id === 'responses'
      ? `{"model":"m","input":[{"role":"user","content":[${content}]}]}`
      : `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[${content}]}]}`
  test.each<[Id, string, string[]]>([
    ['chat', ask('chat'), []],
    ['chat', part('chat', '{"type":"file","file":{"file_id":"file-1"}}'), ['messages[0].content[0].file.file_id']],
    ['responses', ask('responses', '"previous_response_id":"resp_1"'), ['previous_response_id']],
    ['responses', ask('responses', '"previous_response_id":null,"conversation":null'), []],
    ['responses', ask('responses', '"conversation":"conv_1"'), ['conversation']],
    ['responses', ask('responses', '"conversation":{"id":"conv_1"}'), ['conversation.id']],
    ['responses', ask('responses', '"prompt":{"id":"pmpt_1"}'), ['prompt.id']],
    ['responses', part('responses', '{"type":"input_file","file_id":"file-1"}'), ['input[0].content[0].file_id']],
    [
      'responses',
      '{"model":"m","input":[{"role":"user","content":"x"},{"type":"item_reference","id":"msg_1"}]}',
      ['input[1].id'],
    ],
    [
      'responses',
      ask(
        'responses',
        '"tools":[{"type":"file_search","vector_store_ids":["vs_1"]},{"type":"code_interpreter","container":"cntr_1"},{"type":"code_interpreter","container":{"type":"auto","file_ids":["file-1"]}}]',
      ),
      ['tools[0].vector_store_ids', 'tools[1].container', 'tools[2].container.file_ids'],
    ],
    [
      'responses',
      ask(
        'responses',
        '"tools":[{"type":"shell","environment":{"type":"container_reference","container_id":"cntr_1"}}]',
      ),
      ['tools[0].environment.container_id'],
    ],
    ['messages', ask('messages', '"container":"c_1"'), ['container']],
    [
      'messages',
      ask(
        'messages',
        '"container":{"id":"c_1","skills":[{"type":"anthropic","skill_id":"pptx"},{"type":"custom","skill_id":"s_1"}]}',
      ),
      ['container.id', 'container.skills[1].skill_id'],
    ],
    [
      'messages',
      part(
        'messages',
        '{"type":"document","source":{"type":"file","file_id":"f_1"}},{"type":"container_upload","file_id":"f_2"}',
      ),
      ['messages[0].content[0].source.file_id', 'messages[0].content[1].file_id'],
    ],
    ['generate-content', ask('generate-content', '"cachedContent":"cachedContents/1"'), ['cachedContent']],
    ['generate-content', ask('generate-content', '"cached_content":"cachedContents/1"'), ['cachedContent']],
    [
      'generate-content',
      ask('generate-content', '"cachedContent":"","cached_content":"cachedContents/1"'),
      ['cachedContent'],
    ],
    [
      'generate-content',
      '{"contents":[{"parts":[{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/1"}},{"file_data":{"file_uri":"gs://bucket/1"}},{"fileData":{"fileUri":"https://www.youtube.com/watch?v=1"}}]}]}',
      ['contents[0].parts[0].fileData.fileUri', 'contents[0].parts[1].fileData.fileUri'],
    ],
    [
      'generate-content',
      ask('generate-content', '"tools":[{"fileSearch":{"fileSearchStoreNames":["s"]}}]'),
      ['tools[0].fileSearch.fileSearchStoreNames'],
    ],
  ])('%s %s', (id, json, paths) => {
    expect(read(id, json).objects).toEqual(paths)
  })
})
