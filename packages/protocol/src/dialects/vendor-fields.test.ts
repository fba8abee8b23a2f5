// What of a passing request concerns the vendor's account, which all callers share.
import { describe, expect, test } from 'bun:test'
import { textOfPieces } from '../../fixtures/buffer-codec.ts'
import { ask, edit, type Id, read } from '../../fixtures/shared/pass-through-requests.ts'
import { joinEdits } from './shared/pass-through/request.ts'

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
    ['chat', '"service_tier":"auto"', []],
    ['chat', '"service_tier":"priority"', ['priority']],
    ['chat', '"web_search_options":{}', ['web_search']],
    ['chat', '"search_parameters":{"mode":"auto"}', ['web_search']],
    ['chat', '"search_parameters":{"mode":"off"}', []],
    ['chat', '"service_tier":"FLEX"', ['flex']],
    ['chat', '"search_parameters":{"mode":"on","max_search_results":5}', ['web_search']],
    ['chat', '"enable_search":true', ['web_search']],
    ['chat', '"enable_search":false', []],
    // Services with many vendors behind them have these in each of their dialects.
    ...(['chat', 'responses', 'messages'] as const).flatMap((id): [Id, string, string[]][] => [
      [id, '"plugins":[{"id":"web"}]', ['web_search']],
      [id, '"plugins":[{"id":"file-parser"},{"id":"web","enabled":false}]', []],
      [id, '"models":["a","b"]', ['models']],
      [id, '"models":[]', []],
      [id, '"provider":{"order":["x"]}', ['provider']],
      [id, '"provider":{"data_collection":"deny"}', []],
    ]),
    // Unknown names: one that suggests a price needs a price, the others pass.
    ['chat', '"new_service_tier":"gold"', ['new_service_tier']],
    ['chat', '"web_search":true', ['web_search']],
    ['chat', '"brand_new":{"a":1},"researcher":true,"frontier":1', []],
    ['chat', `"tools":[${CHAT_F},{"type":"live_search"}]`, ['live_search']],
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
    ['responses', '"service_tier":"auto","background":false', []],
    ['responses', '"background":true', [], ['background']],
    ['responses', `"tools":[${F},{"type":"code_execution"}]`, ['code_interpreter']],
    [
      'responses',
      `"tools":[${F},{"type":"code_interpreter","container":{"type":"auto","memory_limit":"4g"}}]`,
      ['container_memory'],
    ],
    [
      'responses',
      `"tools":[${F},{"type":"shell","environment":{"type":"container_auto","memory_limit":"1g"}}]`,
      ['container'],
    ],
    ['responses', `"tools":[${F},{"type":"shell"},{"type":"mcp","server_label":"l","server_url":"https://a.b"}]`, []],
    ['responses', '"tools":[{"type":"web_search"}]', ['web_search']],
    ['responses', '"tools":[{"type":"web_search"}],"tool_choice":"required"', [], ['web_search']],
    ['responses', '"tools":[{"type":"file_search"}]', [], ['file_search']],
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
    ['messages', '"service_tier":"auto","speed":"fast"', ['fast']],
    ['messages', '"inference_geo":"us"', [], ['inference_geo']],
    ['messages', '"inference_geo":"global"', []],
    ['messages', '"fallbacks":[{"model":"other"}]', ['fallbacks']],
    ['messages', '"fallbacks":"default"', ['fallbacks']],
    ['messages', '"fallbacks":[]', []],
    ['messages', '"fallback_credit_token":"t"', ['fallback_credit']],
    ['messages', `"tools":[${M},{"type":"advisor_20260301","name":"advisor","model":"x"}]`, ['advisor']],
    [
      'messages',
      `"tools":[${M},{"type":"web_search_20250305","name":"web_search"},{"type":"code_execution_20250825","name":"code_execution"}]`,
      ['web_search', 'code_interpreter'],
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
    ['generate-content', '"tools":[{"googleSearch":{}}]', ['web_search']],
    ['generate-content', '"tools":[{"googleMaps":{}}]', [], ['google_maps']],
    ['messages', '"tools":[{"type":"web_search_20250305","name":"web_search"}]', ['web_search']],
    [
      'messages',
      '"tools":[{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"any"}',
      [],
      ['web_search'],
    ],
    ['chat', '"tools":[{"type":"web_search"}],"tool_choice":"auto"', ['web_search']],
    ['chat', '"tools":[{"type":"web_search"}],"tool_choice":"required"', [], ['web_search']],
    ['generate-content', '"tools":[{"codeExecution":{},"googleSearch":{}}]', ['web_search']],
    ['generate-content', '"generationConfig":{"responseModalities":["AUDIO"]}', [], ['audio']],
    ['generate-content', '"generation_config":{"response_modalities":["TEXT","MODALITY_VIDEO"]}', [], ['video']],
    ['generate-content', '"generationConfig":{"responseModalities":["TEXT","IMAGE"]}', []],
    ['generate-content', '"generationConfig":{"routingConfig":{"autoMode":{}}}', [], ['model_routing']],
    ['generate-content', '"modelArmorConfig":{"promptTemplateName":"x"}', [], ['model_armor']],
    ['generate-content', `"tools":[${G},{"exaAiSearch":{}},{"parallel_ai_search":{}}]`, ['web_search']],
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
    const after = textOfPieces(request.edited(edits))
    expect(read(id, after).priced.map(({ word }) => word)).toEqual(forced)
    const { tools, ...rest } = JSON.parse(after)
    const { tools: toolsBefore, ...restBefore } = JSON.parse(json)
    for (const name of Object.keys(rest)) expect(rest[name]).toEqual(restBefore[name])
    if (toolsBefore === undefined) return
    // A search may be all that there was.
    const isAlone = forced.length === 0 && !/"f"|codeExecution/.test(JSON.stringify(toolsBefore))
    if (isAlone) expect(tools ?? []).toEqual([])
    else expect(JSON.stringify(tools)).toMatch(forced.length > 0 ? /search|maps/i : /"f"|codeExecution/)
  })

  /** What a price is looked up under, and how many calls there can be. */
  const PRICES: [Id, string, { kind: string; field: string; word: string; most?: number }[]][] = [
    ['chat', '"service_tier":"flex"', [{ kind: 'tier', field: 'service_tier', word: 'flex' }]],
    ['chat', '"web_search_options":{}', [{ kind: 'tool', field: 'web_search_options', word: 'web_search', most: 1 }]],
    [
      'chat',
      '"search_parameters":{"max_search_results":5}',
      [{ kind: 'tool', field: 'search_parameters', word: 'web_search', most: 5 }],
    ],
    ['chat', '"modalities":["audio"]', [{ kind: 'other', field: 'modalities', word: 'audio' }]],
    ['messages', '"speed":"fast"', [{ kind: 'tier', field: 'speed', word: 'fast' }]],
    ['messages', '"inference_geo":"us"', [{ kind: 'other', field: 'inference_geo', word: 'inference_geo' }]],
    [
      'messages',
      `"tools":[${M},{"type":"web_search_20250305","name":"web_search","max_uses":3}]`,
      [{ kind: 'tool', field: 'tools[1]', word: 'web_search', most: 3 }],
    ],
    [
      'messages',
      `"tools":[${M},{"type":"web_search_20250305","name":"a","max_uses":3},{"type":"web_search_20260209","name":"b","max_uses":4}]`,
      [{ kind: 'tool', field: 'tools[1]', word: 'web_search', most: 7 }],
    ],
    [
      'messages',
      `"tools":[${M},{"type":"web_search_20250305","name":"a","max_uses":3},{"type":"web_search_20260209","name":"b"}]`,
      [{ kind: 'tool', field: 'tools[1]', word: 'web_search' }],
    ],
    [
      'messages',
      `"tools":[${M},{"type":"web_search_20250305","name":"a","max_uses":-3}]`,
      [{ kind: 'tool', field: 'tools[1]', word: 'web_search' }],
    ],
    [
      'responses',
      `"max_tool_calls":2,"tools":[${F},{"type":"web_search"}]`,
      [{ kind: 'tool', field: 'tools[1]', word: 'web_search', most: 2 }],
    ],
    [
      'responses',
      `"tools":[${F},{"type":"code_interpreter","container":{"type":"auto","memory_limit":"64g"}}]`,
      [{ kind: 'other', field: 'tools[1]', word: 'container_memory' }],
    ],
    ['generate-content', '"serviceTier":"flex"', [{ kind: 'tier', field: 'serviceTier', word: 'flex' }]],
    [
      'generate-content',
      `"tools":[${G},{"googleSearch":{}}]`,
      [{ kind: 'tool', field: 'tools[1].googleSearch', word: 'web_search' }],
    ],
  ]
  test.each(PRICES)('%s %s: the price it needs', (id, members, expected) => {
    const priced = read(id, ask(id, members)).priced.map(({ remove: _, ...price }) => price)
    expect(priced).toEqual(expected as typeof priced)
  })

  // What the conversation itself brings cannot be taken out of it.
  test.each<[Id, string, string]>([
    [
      'responses',
      '{"model":"m","input":[{"type":"additional_tools","role":"developer","tools":[{"type":"web_search"}]}]}',
      'input[0].tools[0]',
    ],
    [
      'messages',
      '{"model":"m","max_tokens":9,"messages":[{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"type":"web_search_20250305","name":"web_search"}}}]}]}',
      'messages[0].content[0].tool.definition',
    ],
  ])('%s %s', (id, json, field) => {
    expect(read(id, json).priced).toEqual([{ kind: 'tool', field, word: 'web_search', remove: undefined }])
  })

  test('tools of a long request are found without parsing all of it', () => {
    const long = `{"type":"function","function":{"name":"f","description":"${'x'.repeat(100_000)}"}}`
    const request = read('chat', ask('chat', `"tools":[${long},{"type":"web_search"}],"service_tier":"flex"`))
    expect(request.priced.map(({ word }) => word)).toEqual(['flex', 'web_search'])
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
    // Left out, not looked up.
    ['responses', '{"model":"m","input":[{"role":"user","content":"x"},{"type":"item_reference","id":"rs_1"}]}', []],
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
    [
      'messages',
      ask('messages', '"thread":{"type":"continue","previous_message_id":"msg_1"}'),
      ['thread.previous_message_id'],
    ],
    ['messages', ask('messages', '"thread":{"type":"create"}'), []],
    [
      'generate-content',
      ask('generate-content', '"output_config":{"outputUriPrefix":"gs://bucket/x"}'),
      ['outputConfig.outputUriPrefix'],
    ],
    ['generate-content', ask('generate-content', '"cachedContent":"cachedContents/1"'), ['cachedContent']],
    ['generate-content', ask('generate-content', '"cached_content":"cachedContents/1"'), ['cachedContent']],
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
    [
      'responses',
      '{"model":"m","input":[{"type":"additional_tools","tools":[{"type":"file_search","vector_store_ids":["vs_1"]}]}]}',
      ['input[0].tools[0].vector_store_ids'],
    ],
  ])('%s %s', (id, json, paths) => {
    expect(read(id, json).objects).toEqual(paths)
  })
})

test('references to reasoning are taken out of the bytes, with the ids by which the vendor would miss them', () => {
  const [user, call, output] = [
    '{"role":"user","content":"x"}',
    '{"type":"function_call","call_id":"c","name":"f","arguments":"{}"',
    '{ "type":"function_call_output","call_id":"c","output":"1" }',
  ]
  const request = read(
    'responses',
    `{"model":"m","input":[${user},{"type":"item_reference","id":"rs_1"},${call},"id":"fc_1"},${output}]}`,
  )
  expect(request.reasoningReferences).toBe(true)
  const edited = Buffer.concat(request.edited({ withoutReasoningReferences: true })).toString()
  expect(edited).toBe(`{"model":"m","input":[${user},${call}},${output}]}`)
  expect(read('responses', `{"model":"m","input":[${user}]}`).reasoningReferences).toBe(false)
})

test("reasoning that another upstream returned as text is taken out of the bytes; the vendor's own stays", () => {
  const [user, own] = ['{"role":"user","content":"x"}', '{"type":"reasoning","id":"rs_68af4030baa48193","summary":[] }']
  const foreign = '{"type":"reasoning","id":"rs_0546ea5d80c00000_0","summary":[{"type":"summary_text","text":"t"}]}'
  const request = read('responses', `{"model":"m","input":[${user},${own},${foreign}]}`)
  expect(request.foreignReasoning).toBe(true)
  const edited = Buffer.concat(request.edited({ withoutForeignReasoning: true })).toString()
  expect(edited).toBe(`{"model":"m","input":[${user},${own}]}`)
  expect(read('responses', `{"model":"m","input":[${own}]}`).foreignReasoning).toBe(false)
})
