package dev.sluice.operators.classify;

import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.util.MathUtils;

/**
 * Flink's key of a flow shard, by which packets find their subtask and state its shard.
 *
 * <p>Flink gives subtasks ranges of key groups, and a key the group that its hash names, modulo
 * their number. Of the numbers of 64 shards the hash makes 12 for one of eight subtasks and 4 for
 * another, and the fullest subtask is the speed of the job. So a shard's key is the number whose
 * hash is what Pascal's matrix modulo 2 makes of the shard's bits. Any k rows of that beside each
 * other, of the first k columns, have an inverse: so wherever the upper bits of a group begin,
 * shards that follow each other lie evenly in the ranges (H. Faure, "Discrépance de suites
 * associées à un système de numération (en dimension s)", 1982). Where the number of groups is a
 * power of two, as Flink chooses it, two subtasks' counts of shards differ by a few; where it is
 * not, they are as by chance.
 *
 * <p>Every int is the key of one shard. All steps of the hash can be undone: it is MurmurHash3 of
 * one word (A. Appleby), whose products have odd factors; only the sign, which is dropped in the
 * end, is not in the group.
 */
public final class ShardKey implements KeySelector<Tuple2<Integer, byte[]>, Integer> {
    private static final long serialVersionUID = 1L;

    // The factors and the sum of MurmurHash3, and the factors' inverses modulo 2^32.
    private static final int C1 = 0xcc9e2d51;
    private static final int C2 = 0x1b873593;
    private static final int C3 = 5;
    private static final int ADDED = 0xe6546b64;
    private static final int UNDO_C1 = inverse(C1);
    private static final int UNDO_C2 = inverse(C2);
    private static final int UNDO_C3 = inverse(C3);
    private static final int UNDO_C4 = inverse(0x85ebca6b);
    private static final int UNDO_C5 = inverse(0xc2b2ae35);

    /** Bytes of a word, which are hashed last. */
    private static final int LENGTH = 4;

    /** The key of a message of a shard. */
    @Override
    public Integer getKey(Tuple2<Integer, byte[]> message) {
        return of(message.f0);
    }

    /** The key of a flow shard. */
    public static int of(int shard) {
        int h = pascal(shard);
        h ^= h >>> 16;
        h *= UNDO_C5;
        h ^= h >>> 13 ^ h >>> 26;
        h *= UNDO_C4;
        h ^= h >>> 16;
        h ^= LENGTH;
        h = (h - ADDED) * UNDO_C3;
        h = Integer.rotateRight(h, 13) * UNDO_C2;
        return Integer.rotateRight(h, 15) * UNDO_C1;
    }

    /** The flow shard of a key. */
    public static int shard(int key) {
        int h = Integer.rotateLeft(key * C1, 15) * C2;
        h = Integer.rotateLeft(h, 13) * C3 + ADDED;
        return pascal(MathUtils.bitMix(h ^ LENGTH));
    }

    /**
     * Each half word times Pascal's matrix modulo 2: bit j is the sum of the bits i that are in j
     * (E. Lucas, 1878). Twice is the number itself. Halves, so that few numbers get a sign.
     */
    private static int pascal(int number) {
        int bits = number;
        bits ^= bits << 1 & 0xaaaaaaaa;
        bits ^= bits << 2 & 0xcccccccc;
        bits ^= bits << 4 & 0xf0f0f0f0;
        return bits ^ bits << 8 & 0xff00ff00;
    }

    /** By Newton's iteration: each step doubles the bits that are right, of which three are. */
    private static int inverse(int odd) {
        int x = odd;
        for (int i = 0; i < 4; i++) {
            x *= 2 - odd * x;
        }
        return x;
    }
}
