package dev.sluice.operators.classify;

import dev.sluice.operators.connections.Connections;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;

/**
 * Judges batches by the connections of each block's flow shard. Used by the worker, batch by batch
 * in the order of the packets.
 */
final class ConnectionJudge {
    private static final int[] READ = HeaderWord.words(StatefulJudge.flowBits());

    private final ShardConnections shards;
    private final StatefulJudge judge;

    /** Header words of the batch, packet by packet. */
    private final int[] flows;

    private final long[] times;
    private final int[] states;

    /** One column of a block. */
    private final int[] column;

    ConnectionJudge(ShardConnections shards, int capacity) {
        this.shards = shards;
        judge = new StatefulJudge(capacity);
        flows = new int[capacity * StatefulJudge.WORDS];
        times = new long[capacity];
        states = new int[capacity];
        column = new int[capacity];
    }

    /** Writes the states that packets suggest into the batch, which is to be looked up then. */
    void begin(MicroBatch batch) {
        int at = 0;
        for (MicroBatch.Part part : batch.parts) {
            read(part, at);
            at += part.count();
        }
        judge.begin(batch.rules(), batch.headers, flows);
    }

    private void read(MicroBatch.Part part, int at) {
        PacketBlock block = part.block().block;
        int count = part.count();
        for (int word : READ) {
            Column of = block.column(word);
            if (of == null) {
                Arrays.fill(column, 0, count, 0);
            } else {
                of.copyWords(part.from(), count, column, 0);
            }
            int to = at * StatefulJudge.WORDS + word;
            for (int i = 0; i < count; i++, to += StatefulJudge.WORDS) {
                flows[to] = column[i];
            }
        }
        Column time = block.column(Column.TIME_NS);
        if (time == null) {
            Arrays.fill(times, at, at + count, Column.NO_TIME);
        } else {
            time.copyLongs(part.from(), count, times, at);
        }
    }

    /** Sets the verdicts of the batch that was begun and looked up, and the states of packets. */
    void judge(MicroBatch batch) {
        int at = 0;
        for (MicroBatch.Part part : batch.parts) {
            PendingBlock pending = part.block();
            Connections connections = shards.of(pending.block);
            int end = at + part.count();
            judge.judge(connections, at, end, times, states, batch.verdicts);
            shards.judged();
            int[] words = pending.states;
            if (words == null) {
                words = new int[pending.verdicts.length];
                pending.states = words;
            }
            for (int i = 0; i < part.count(); i++) {
                words[part.from() + i] = StatefulJudge.word(states[at + i]);
            }
            at = end;
        }
    }
}
