package dev.sluice.operators.classify;

import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.Connection.Ends;
import dev.sluice.schemas.codec.Connection.Opening;
import dev.sluice.schemas.codec.Connection.Traffic;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.api.common.state.MapState;
import org.jspecify.annotations.Nullable;

/**
 * Verdicts on the first packets of a flow shard's connections, by the numbers that stand in their
 * rows. A number is given again once no row has it, so that there are as many verdicts as live
 * connections at most, however many versions of the rules come and go.
 *
 * <p>As state: the number, from 1, and a {@link Connection} message that has nothing but the
 * opening. Number 0 is of connections that began before rows were kept. Not thread-safe.
 */
final class Openings {
    private static final Ends NO_ENDS = new Ends(new byte[4], new byte[4], 0, null, null, null);
    private static final Traffic NO_TRAFFIC = new Traffic(0, 0);

    private final Map<Opening, Integer> numbers = new HashMap<>();

    /** By number; null: the number is free. */
    private final List<@Nullable Opening> openings = new ArrayList<>(Arrays.asList((Opening) null));

    /** Rows by the number that they have. */
    private int[] uses = new int[16];

    private final Deque<Integer> free = new ArrayDeque<>();

    /** Numbers that were given, or lost their last row, since the last checkpoint. */
    private final Set<Integer> changed = new LinkedHashSet<>();

    /** Returns the number of an opening. */
    int number(Opening opening) {
        return numbers.computeIfAbsent(opening, this::give);
    }

    private int give(Opening opening) {
        Integer number = free.poll();
        if (number == null) {
            number = openings.size();
            openings.add(null);
        }
        put(number, opening);
        return number;
    }

    private void put(int number, Opening opening) {
        openings.set(number, opening);
        changed.add(number);
        if (number >= uses.length) {
            uses = Arrays.copyOf(uses, 2 * number);
        }
    }

    /** Returns the opening of a row. */
    Opening get(int number) {
        return Objects.requireNonNull(openings.get(number));
    }

    /** Hears that a row begins, or was restored. */
    void began(int number) {
        uses[number]++;
    }

    /** Hears that a row ended. */
    void ended(int number) {
        if (--uses[number] == 0) {
            changed.add(number);
        }
    }

    /** Restores the openings of a checkpoint; the rows are to follow. */
    void restore(MapState<Integer, byte[]> from) throws Exception {
        for (Map.Entry<Integer, byte[]> entry : from.entries()) {
            while (openings.size() <= entry.getKey()) {
                openings.add(null);
            }
            try {
                put(entry.getKey(), Connection.decode(entry.getValue()).opening());
            } catch (MalformedMessageException e) {
                throw new IllegalStateException(
                        "the state of connections has no opening at " + entry.getKey(), e);
            }
            numbers.put(get(entry.getKey()), entry.getKey());
        }
        for (int number = openings.size() - 1; number > 0; number--) {
            if (openings.get(number) == null) {
                free.add(number);
            }
        }
    }

    /** Writes the changes since the last checkpoint, and frees the numbers that no row has. */
    void write(MapState<Integer, byte[]> to) throws Exception {
        for (int number : changed) {
            Opening opening = get(number);
            if (uses[number] > 0) {
                to.put(number, message(opening));
            } else {
                to.remove(number);
                numbers.remove(opening);
                openings.set(number, null);
                free.add(number);
            }
        }
        changed.clear();
    }

    private static byte[] message(Opening opening) {
        return new Connection(opening, NO_ENDS, 0, 0, NO_TRAFFIC, NO_TRAFFIC, "", "", null)
                .encode();
    }
}
