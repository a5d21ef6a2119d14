package dev.sluice.policy.model;

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
 */
public record Assumptions(
        @Nullable ConnectionState state,
        @Nullable String inInterface,
        @Nullable String outInterface,
        @Nullable Host host,
        boolean unstated) {
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
        this(state, inInterface, outInterface, host, false);
    }

    /** Refuses states that nobody assumes. */
    public Assumptions {
        if (state != null && !STATES.contains(state)) {
            throw new IllegalArgumentException("assume one of " + STATES + ", not " + state);
        }
    }

    /** The same under another state. */
    public Assumptions withState(ConnectionState other) {
        return new Assumptions(other, inInterface, outInterface, host, unstated);
    }

    /** The same of packets that may come without fields that rules ask for. */
    public Assumptions ofMessages() {
        return new Assumptions(state, inInterface, outInterface, host, true);
    }
}
