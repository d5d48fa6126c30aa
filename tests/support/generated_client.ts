// Five calls by the client that @hey-api/openapi-ts generates; prints what they return.
import { client } from './client/client.gen';
import * as sdk from './client/sdk.gen';

declare const process: { env: Record<string, string | undefined> };

async function main(): Promise<void> {
  client.setConfig({ baseUrl: process.env.URL!, headers: { 'X-API-Key': process.env.KEY! } });
  const lookup = await sdk.getV1Lookup({ query: { ticker: ['QLFP'], form_type: ['10-K'] } });
  const search = await sdk.getV1Search({ query: { query: '"material weakness"', limit: 1 } });
  const document_id = search.data!.items[0].document_id;
  const matches = await sdk.getV1Matches({ query: { document_id, query: '"material weakness"' } });
  const facts = await sdk.getV1Facts({ query: { ticker: ['BRMW'], concept: ['us-gaap:Revenues'] } });
  const health = await sdk.getHealthReady();
  console.log(JSON.stringify({
    found: lookup.data!.response_details.filings_found,
    total: search.data!.total_count,
    matches: matches.data!.items[0].text.length > 0,
    value: facts.data!.items[0].value,
    health: health.data!.status,
  }));
}

void main();
