-- Requests are found by the ids that their caller and the vendor gave them, for as long as receipts are kept (request-lists.ts).
CREATE INDEX request_client_id ON request ((substring(receipt from '^\{"ids":\{"client":"((?:[^"\\]|\\.)*)"')))
  WHERE substr(receipt, 1, 8) = '{"ids":{';
CREATE INDEX request_upstream_id ON request
  ((substring(receipt from '^\{"ids":\{(?:"client":"(?:[^"\\]|\\.)*",)?"upstream":"((?:[^"\\]|\\.)*)"')))
  WHERE substr(receipt, 1, 8) = '{"ids":{';
