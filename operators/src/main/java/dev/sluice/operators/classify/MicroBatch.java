package dev.sluice.operators.classify;

import dev.sluice.engine.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;

/** Headers of one or more blocks that go to the engine together, and room for their verdicts. */
final class MicroBatch {
    /** Headers {@code from} to {@code from + count - 1} of a block. */
    record Part(PendingBlock block, int from, int count) {}

    final CompiledRules rules;
    final HeaderBatch headers;
    final VerdictBatch verdicts;
    final List<Part> parts = new ArrayList<>();

    /** The blocks that are complete with this batch, as encoded by the worker. */
    final List<byte[]> encoded = new ArrayList<>();

    final List<Integer> encodedShards = new ArrayList<>();

    MicroBatch(CompiledRules rules, int capacity) {
        this.rules = rules;
        this.headers = new HeaderBatch(rules.classifier().image().layout(), capacity);
        this.verdicts = new VerdictBatch(capacity);
    }

    void clear() {
        headers.clear(headers.layout());
        parts.clear();
        encoded.clear();
        encodedShards.clear();
    }

    /** Takes as many headers of a block as fit, from one on; returns how many. */
    int append(PendingBlock block, int from) {
        int n = Math.min(block.block.count() - from, headers.capacity() - headers.size());
        block.block.appendTo(headers, from, n);
        parts.add(new Part(block, from, n));
        return n;
    }
}
