package dev.sluice.engine.rfc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The order in which the parts of a rule set were joined last. Rules that change little have the
 * same parts, and finding their order takes a third of a compilation: so bases that follow one
 * another share one of these. Thread-safe.
 */
final class KnownOrder {
    /** The order is old where rules have become more or fewer by one in so many. */
    private static final int LITTLE = 16;

    /** Rule sets that an order serves: what changed in each may be all in the end. */
    static final int MOST_SERVED = 32;

    /**
     * An order.
     *
     * @param shape what the parts are made of
     * @param rules how many rules there were
     * @param order indexes of the parts
     * @param served how many rule sets were given it
     */
    private record Known(String shape, int rules, List<Integer> order, AtomicInteger served) {}

    private volatile @Nullable Known last;

    /** The parts in the order in which such parts were joined last; null where it is not known. */
    <P> @Nullable List<P> of(String shape, int rules, List<P> parts) {
        Known known = last;
        if (known == null
                || !known.shape.equals(shape)
                || Math.abs(known.rules - rules) > known.rules / LITTLE
                || known.served.incrementAndGet() > MOST_SERVED) {
            return null;
        }
        List<P> ordered = new ArrayList<>();
        known.order.forEach(part -> ordered.add(parts.get(part)));
        return ordered;
    }

    /** Keeps the order of some parts. */
    <P> void keep(String shape, int rules, List<P> parts, List<P> ordered) {
        List<Integer> order = ordered.stream().map(parts::indexOf).toList();
        last = new Known(shape, rules, order, new AtomicInteger());
    }

    /** Returns whether an order is known. */
    boolean isThere() {
        return last != null;
    }

    /** Forgets the known order, which leads nowhere. */
    void forget() {
        last = null;
    }
}
