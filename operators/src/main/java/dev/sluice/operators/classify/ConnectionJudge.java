package dev.sluice.operators.classify;

import dev.sluice.operators.connections.Connections;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Judges batches by the connections of each block's flow shard. Used by the worker, batch by batch
 * in the order of the packets.
 */
final class ConnectionJudge {
    private static final int[] READ = HeaderWord.words(StatefulJudge.flowBits());

    /** Packets whose words a core's first cache holds. */
    private static final int TOGETHER = 64;

    /** Keeps columns of a power of two of packets from sharing sets of a cache. */
    private static final int PAD = 16;

    private final ShardConnections shards;
    private final StatefulJudge judge;

    /** Header words of the batch, packet by packet. */
    private final int[] flows;

    private final long[] times;
    private final int[] states;

    /** The words of {@link #READ} of a batch, a column each. */
    private final int[][] columns;

    /** Tells of each whether some packet ever stated it; else its words are 0. */
    private final boolean[] stated = new boolean[READ.length];

    /** Facts that rows tell of packets; null: connections have none. */
    private final @Nullable BatchFacts facts;

    ConnectionJudge(ShardConnections shards, int capacity) {
        this.shards = shards;
        facts = shards.facts();
        judge = new StatefulJudge(capacity);
        flows = new int[capacity * StatefulJudge.WORDS];
        times = new long[capacity];
        states = new int[capacity];
        columns = new int[READ.length][capacity + PAD];
    }

    /** Writes the states that packets suggest into the batch, which is to be looked up then. */
    void begin(MicroBatch batch) {
        int at = 0;
        for (MicroBatch.Part part : batch.parts) {
            read(part, at);
            at += part.count();
        }
        if (facts != null) {
            facts.read(batch);
        }
        judge.begin(batch.rules(), batch.headers, flows);
    }

    private void read(MicroBatch.Part part, int at) {
        PacketBlock block = part.block().block;
        int count = part.count();
        for (int k = 0; k < READ.length; k++) {
            Column of = block.column(READ[k]);
            if (of != null) {
                stated[k] = true;
                of.copyWords(part.from(), count, columns[k], 0);
            } else if (stated[k]) {
                Arrays.fill(columns[k], 0, count, 0);
            }
        }
        for (int from = 0; from < count; from += TOGETHER) {
            int end = Math.min(count, from + TOGETHER);
            for (int k = 0; k < READ.length; k++) {
                if (!stated[k]) {
                    continue;
                }
                int to = (at + from) * StatefulJudge.WORDS + READ[k];
                for (int i = from; i < end; i++, to += StatefulJudge.WORDS) {
                    flows[to] = columns[k][i];
                }
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
            if (facts != null) {
                facts.of(pending.block);
            }
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
        if (facts != null) {
            batch.connections = facts.take();
        }
    }
}
