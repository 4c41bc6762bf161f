#!/usr/bin/env node
// Sends what kay needs you for to a Slack channel, with a link to kay's answer page.
// Body: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
import { text } from "node:stream/consumers";

const WEBHOOK = "https://hooks.slack.com/services/T000/B000/XXXX";

const notice = JSON.parse(await text(process.stdin));
// Slack reads <!channel> and links in a text.
const clean = (line) => line.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const body = { text: `${clean(notice.text)} <${notice.url}|Answer>` };
const headers = { "content-type": "application/json" };
const answer = await fetch(WEBHOOK, { method: "POST", headers, body: JSON.stringify(body) });
if (!answer.ok) throw new Error(`Slack answered ${answer.status}`);
