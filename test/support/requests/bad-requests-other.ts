// Invalid requests of the messages and the generate-content dialect.
import { type Bad, NESTED, user } from './bad-requests-openai.ts'

const said = (parts: unknown) => ({ contents: [{ role: 'user', parts }] })
const TOOL = { name: 'tide', input_schema: { type: 'object' } }
const DECLARED = { functionDeclarations: [{ name: 'tide' }] }

export const MESSAGES: Bad[] = [
  ['a name in another case', { with: { metadata: { User_Id: 'x' } } }, 'metadata.User_Id'],
  ['not JSON', { text: 'hello' }, undefined],
  ['cut JSON', { text: '{"model":"MODEL","max_tokens":9' }, undefined],
  ['a string', { text: '"MODEL"' }, undefined],
  ['no model', { with: { model: undefined } }, 'model'],
  ['model a list', { with: { model: ['MODEL'] } }, 'model'],
  ['a NUL in the model', { with: { model: 'a\u0000b' } }, 'model'],
  [
    'half a character in the model',
    { text: '{"model":"a\\ud800","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}' },
    'model',
  ],
  [
    'half a character in an id',
    {
      text: '{"model":"MODEL","max_tokens":9,"metadata":{"user_id":"\\udc00"},"messages":[{"role":"user","content":"hi"}]}',
    },
    'metadata.user_id',
  ],
  [
    '__proto__',
    { text: '{"__proto__":{},"model":"MODEL","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}' },
    '__proto__',
  ],
  ['nesting without end', { text: `{"model":"MODEL","max_tokens":9,"messages":${NESTED}}` }, undefined],
  ['no max_tokens', { with: { max_tokens: undefined } }, 'max_tokens'],
  ['max_tokens negative', { with: { max_tokens: -1 } }, 'max_tokens'],
  ['max_tokens huge', { with: { max_tokens: 1e15 } }, 'max_tokens'],
  ['max_tokens a string', { with: { max_tokens: '10' } }, 'max_tokens'],
  ['no messages', { with: { messages: undefined } }, 'messages'],
  ['messages empty', { with: { messages: [] } }, 'messages'],
  ['a message that is text', { with: { messages: ['hi'] } }, 'messages[0]'],
  ['an unknown role', { with: { messages: [{ role: 'robot', content: 'hi' }] } }, 'messages[0].role'],
  ['no content', { with: { messages: [{ role: 'user' }] } }, 'messages[0].content'],
  ['a block that is text', { with: user(['hi']) }, 'messages[0].content[0]'],
  ['a block without a type', { with: user([{ text: 'hi' }]) }, 'messages[0].content[0].type'],
  ['a text block without text', { with: user([{ type: 'text' }]) }, 'messages[0].content[0].text'],
  ['an image without a source', { with: user([{ type: 'image' }]) }, 'messages[0].content[0].source'],
  [
    'an image without data',
    { with: user([{ type: 'image', source: { type: 'base64', media_type: 'image/png' } }]) },
    'messages[0].content[0].source.data',
  ],
  [
    'an image without a kind',
    { with: user([{ type: 'image', source: { type: 'base64', data: 'AA==' } }]) },
    'messages[0].content[0].source.media_type',
  ],
  [
    'a tool_result without an id',
    { with: user([{ type: 'tool_result', content: '5' }]) },
    'messages[0].content[0].tool_use_id',
  ],
  [
    'a tool_use without a name',
    { with: { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', input: {} }] }] } },
    'messages[0].content[0].name',
  ],
  [
    'a tool_use with text as input',
    { with: { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: '{}' }] }] } },
    'messages[0].content[0].input',
  ],
  ['system a number', { with: { system: 7 } }, 'system'],
  ['tools an object', { with: { tools: {} } }, 'tools'],
  ['a tool without a name', { with: { tools: [{ input_schema: { type: 'object' } }] } }, 'tools[0].name'],
  ['a tool without a schema', { with: { tools: [{ name: 'a' }] } }, 'tools[0].input_schema'],
  ['two tools of one name', { with: { tools: [TOOL, TOOL] } }, 'tools[1].name'],
  ['tool_choice a string', { with: { tools: [TOOL], tool_choice: 'auto' } }, 'tool_choice'],
  ['tool_choice of an unknown type', { with: { tools: [TOOL], tool_choice: { type: 'always' } } }, 'tool_choice.type'],
  [
    'tool_choice an unknown tool',
    { with: { tools: [TOOL], tool_choice: { type: 'tool', name: 'wind' } } },
    'tool_choice.name',
  ],
  ['temperature above', { with: { temperature: 1.5 } }, 'temperature'],
  ['top_k negative', { with: { top_k: -1 } }, 'top_k'],
  ['top_p above', { with: { top_p: 2 } }, 'top_p'],
  ['stop_sequences a string', { with: { stop_sequences: 'END' } }, 'stop_sequences'],
  ['thinking a string', { with: { thinking: 'yes' } }, 'thinking'],
  ['a budget of nothing', { with: { thinking: { type: 'enabled' } } }, 'thinking.budget_tokens'],
  [
    'a budget that is negative',
    { with: { thinking: { type: 'enabled', budget_tokens: -1 } } },
    'thinking.budget_tokens',
  ],
  ['stream a number', { with: { stream: 1 } }, 'stream'],
  ['metadata a string', { with: { metadata: 'x' } }, 'metadata'],
]

export const GENERATE_CONTENT: Bad[] = [
  [
    'a name in another case',
    { with: { generationConfig: { MaxOutputTokens: 9 } } },
    'generationConfig.MaxOutputTokens',
  ],
  ['another model than in the path', { with: { model: 'models/another' } }, 'model'],
  ['not JSON', { text: 'hello' }, undefined],
  ['cut JSON', { text: '{"contents":[' }, undefined],
  ['an array', { text: '[]' }, undefined],
  ['__proto__', { text: '{"__proto__":{},"contents":[{"role":"user","parts":[{"text":"hi"}]}]}' }, '__proto__'],
  ['nesting without end', { text: `{"contents":${NESTED}}` }, undefined],
  ['no contents', { with: { contents: undefined } }, 'contents'],
  ['contents empty', { with: { contents: [] } }, 'contents'],
  ['contents a number', { with: { contents: 7 } }, 'contents'],
  ['a content that is a number', { with: { contents: [7] } }, 'contents[0]'],
  ['an unknown role', { with: { contents: [{ role: 'robot', parts: [{ text: 'a' }] }] } }, 'contents[0].role'],
  ['parts a string', { with: said('hi') }, 'contents[0].parts'],
  ['a part that is a number', { with: said([7]) }, 'contents[0].parts[0]'],
  ['text a number', { with: said([{ text: 7 }]) }, 'contents[0].parts[0].text'],
  [
    'inlineData without data',
    { with: said([{ inlineData: { mimeType: 'image/png' } }]) },
    'contents[0].parts[0].inlineData.data',
  ],
  [
    'inlineData without a kind',
    { with: said([{ inlineData: { data: 'AA==' } }]) },
    'contents[0].parts[0].inlineData.mimeType',
  ],
  ['inline_data a string', { with: said([{ inline_data: 'AA==' }]) }, 'contents[0].parts[0].inline_data'],
  [
    'fileData without an address',
    { with: said([{ fileData: { mimeType: 'image/png' } }]) },
    'contents[0].parts[0].fileData.fileUri',
  ],
  [
    'a call without a name',
    { with: { contents: [{ role: 'model', parts: [{ functionCall: { args: {} } }] }] } },
    'contents[0].parts[0].functionCall.name',
  ],
  [
    'args a string',
    { with: { contents: [{ role: 'model', parts: [{ functionCall: { name: 'a', args: 'x' } }] }] } },
    'contents[0].parts[0].functionCall.args',
  ],
  [
    'a result that is a string',
    { with: said([{ functionResponse: { name: 'a', response: 'x' } }]) },
    'contents[0].parts[0].functionResponse.response',
  ],
  ['systemInstruction a number', { with: { systemInstruction: 7 } }, 'systemInstruction'],
  ['tools a string', { with: { tools: 'x' } }, 'tools'],
  [
    'functionDeclarations a string',
    { with: { tools: [{ functionDeclarations: 'x' }] } },
    'tools[0].functionDeclarations',
  ],
  [
    'a function without a name',
    { with: { tools: [{ functionDeclarations: [{}] }] } },
    'tools[0].functionDeclarations[0].name',
  ],
  ['two functions of one name', { with: { tools: [DECLARED, DECLARED] } }, 'tools[1].functionDeclarations[0].name'],
  [
    'a forced function that is unknown',
    {
      with: {
        tools: [DECLARED],
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['wind'] } },
      },
    },
    'toolConfig.functionCallingConfig.allowedFunctionNames',
  ],
  ['generationConfig a list', { with: { generationConfig: [] } }, 'generationConfig'],
  [
    'maxOutputTokens negative',
    { with: { generationConfig: { maxOutputTokens: -1 } } },
    'generationConfig.maxOutputTokens',
  ],
  [
    'maxOutputTokens huge',
    { with: { generationConfig: { maxOutputTokens: 1e15 } } },
    'generationConfig.maxOutputTokens',
  ],
  [
    'max_output_tokens negative',
    { with: { generation_config: { max_output_tokens: -1 } } },
    'generation_config.max_output_tokens',
  ],
  ['temperature above', { with: { generationConfig: { temperature: 3 } } }, 'generationConfig.temperature'],
  ['topP above', { with: { generationConfig: { topP: 2 } } }, 'generationConfig.topP'],
  ['topK negative', { with: { generationConfig: { topK: -1 } } }, 'generationConfig.topK'],
  ['candidateCount zero', { with: { generationConfig: { candidateCount: 0 } } }, 'generationConfig.candidateCount'],
  [
    'candidateCount huge',
    { with: { generationConfig: { candidateCount: 1_000_000 } } },
    'generationConfig.candidateCount',
  ],
  [
    'responseSchema a string',
    { with: { generationConfig: { responseMimeType: 'application/json', responseSchema: 'x' } } },
    'generationConfig.responseSchema',
  ],
  [
    'thinkingConfig a string',
    { with: { generationConfig: { thinkingConfig: 'x' } } },
    'generationConfig.thinkingConfig',
  ],
  ['an unknown stored object', { with: { cachedContent: 'cachedContents/1' } }, 'cachedContent'],
]
