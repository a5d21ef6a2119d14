package dev.sluice.engine.tuplespace;

import dev.sluice.engine.memory.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * The tuples in the order of their best ranks, as objects and as pairs (best rank, record) in the
 * arena: a look-up that goes through the pairs may stop at the first tuple that cannot beat what it
 * has found. Not thread-safe.
 */
final class TupleOrder {
    private final Arena arena;
    private final List<Tuple> tuples = new ArrayList<>();

    /** Pairs that there is room for. */
    private int capacity = 16;

    private long version;

    TupleOrder(Arena arena) {
        this.arena = arena;
        int at = arena.allocate(words(capacity));
        arena.set(TupleSpaceLayout.ORDER_AT, at);
    }

    private static long words(int tuples) {
        return (long) TupleSpaceLayout.ORDER_ENTRY * tuples;
    }

    /** The tuples, best first. */
    List<Tuple> tuples() {
        return tuples;
    }

    /** A number that changes whenever a tuple comes or goes. */
    long version() {
        return version;
    }

    /** Adds a tuple without rules behind the others. */
    void append(Tuple tuple) {
        tuple.position = tuples.size();
        tuples.add(tuple);
        if (tuples.size() > capacity) {
            int grown = 2 * capacity;
            int before = arena.words()[TupleSpaceLayout.ORDER_AT];
            int at = arena.grow(before, words(capacity), words(grown));
            arena.set(TupleSpaceLayout.ORDER_AT, at);
            capacity = grown;
        }
        arena.set(TupleSpaceLayout.TUPLES_AT, tuples.size());
        write(tuple.position, tuple.position);
        version++;
    }

    /** Takes a tuple out. */
    void remove(Tuple tuple) {
        tuples.remove(tuple.position);
        for (int k = tuple.position; k < tuples.size(); k++) {
            tuples.get(k).position = k;
        }
        arena.set(TupleSpaceLayout.TUPLES_AT, tuples.size());
        write(tuple.position, tuples.size() - 1);
        version++;
    }

    /** Moves a tuple up that got a better rank than it had. */
    void improve(Tuple tuple, int rank) {
        tuple.best = rank;
        int to = tuple.position;
        while (to > 0 && tuples.get(to - 1).best > rank) {
            Tuple other = tuples.get(to - 1);
            other.position = to;
            tuples.set(to, other);
            to--;
        }
        int from = tuple.position;
        tuples.set(to, tuple);
        tuple.position = to;
        write(to, from);
    }

    private void write(int from, int to) {
        int at = arena.words()[TupleSpaceLayout.ORDER_AT];
        for (int k = from; k <= to; k++) {
            Tuple tuple = tuples.get(k);
            int entry = at + TupleSpaceLayout.ORDER_ENTRY * k;
            arena.set(entry + TupleSpaceLayout.ORDER_BEST, tuple.best);
            arena.set(entry + TupleSpaceLayout.ORDER_RECORD, tuple.record);
            arena.set(tuple.record + TupleSpaceLayout.BEST, tuple.best);
        }
    }
}
