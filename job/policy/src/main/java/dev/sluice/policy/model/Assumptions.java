package dev.sluice.policy.model;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Facts about packets that their headers do not tell.
 *
 * @param state {@link ConnectionState#NEW}: each packet is the first one of its connection; {@link
 *     ConnectionState#ESTABLISHED}: a connection exists that has seen packets both ways; {@link
 *     ConnectionState#UNTRACKED}: tracking skips all packets; null: the first two are tried
 * @param inInterface name of the interface that packets came in by, empty where they have none;
 *     null: unknown
 * @param outInterface name of the interface that packets leave by, as {@code inInterface}; of a
 *     known host its routes tell it where this is null
 * @param host the host that the policy is of; null: unknown
 * @param unstated whether packets may come without fields that captures state where rules ask for
 *     them, as messages do whose exporter does not know the rules
 * @param asked what captures tell of packets beside their headers; null: nothing
 * @param time when all packets are judged; null: unknown, or as {@code asked} tells
 * @param tracked whether headers state the connection's state, in place of {@code state}
 * @param settled truth of conditions in a possible world: interfaces that nobody names, and what no
 *     header tells
 */
public record Assumptions(
        @Nullable ConnectionState state,
        @Nullable String inInterface,
        @Nullable String outInterface,
        @Nullable Host host,
        boolean unstated,
        @Nullable AskedFacts asked,
        @Nullable Instant time,
        boolean tracked,
        Map<Condition, Boolean> settled) {
    /** Nothing is known. */
    public static final Assumptions NONE = new Assumptions(null, null, null);

    private static final Set<ConnectionState> STATES =
            Set.of(ConnectionState.NEW, ConnectionState.ESTABLISHED, ConnectionState.UNTRACKED);

    /** Facts without a host. */
    public Assumptions(
            @Nullable ConnectionState state,
            @Nullable String inInterface,
            @Nullable String outInterface) {
        this(state, inInterface, outInterface, null);
    }

    /** Facts about packets that state what rules ask for. */
    public Assumptions(
            @Nullable ConnectionState state,
            @Nullable String inInterface,
            @Nullable String outInterface,
            @Nullable Host host) {
        this(state, inInterface, outInterface, host, false, null, null, false, Map.of());
    }

    /** Refuses states that nobody assumes, and copies the map. */
    public Assumptions {
        if (state != null && !STATES.contains(state)) {
            throw new IllegalArgumentException("assume one of " + STATES + ", not " + state);
        }
        settled = Map.copyOf(settled);
    }

    /** The same under another state. */
    public Assumptions withState(@Nullable ConnectionState other) {
        return new Assumptions(
                other, inInterface, outInterface, host, unstated, asked, time, tracked, settled);
    }

    /** The same of packets that may come without fields that rules ask for. */
    public Assumptions ofMessages() {
        return new Assumptions(
                state, inInterface, outInterface, host, true, null, time, tracked, settled);
    }

    /** The same of packets of captures that tell more than their headers. */
    public Assumptions telling(AskedFacts facts) {
        return new Assumptions(
                state, inInterface, outInterface, host, unstated, facts, time, tracked, settled);
    }

    /** The same of packets that are all judged at a time. */
    public Assumptions at(@Nullable Instant instant) {
        return new Assumptions(
                state, inInterface, outInterface, host, unstated, asked, instant, tracked, settled);
    }

    /** The same of packets whose headers state the state of their connection. */
    public Assumptions ofTracked() {
        return new Assumptions(
                null, inInterface, outInterface, host, unstated, asked, time, true, settled);
    }

    /** The same in a possible world. */
    public Assumptions in(Map<Condition, Boolean> world) {
        return new Assumptions(
                state, inInterface, outInterface, host, unstated, asked, time, tracked, world);
    }

    /** The same of packets that meet a hook. */
    public Assumptions meeting(String hook) {
        return asked == null ? this : telling(asked.meeting(hook.toUpperCase(Locale.ROOT)));
    }
}
