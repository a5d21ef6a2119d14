package dev.sluice.operators.connections;

import dev.sluice.schemas.codec.VerdictOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The connections of packets that come in order, and the states of their datagrams: what {@link
 * StatefulJudge} knows of the packets before. Not thread-safe.
 */
public final class Connections {
    final ConnectionTracker tracker;
    final FragmentStates fragments = new FragmentStates();
    private final boolean doubtsPickedUp;
    private final boolean followsDatagrams;

    /** Tells whether the numbers of TCP segments are asked for. */
    final boolean windows;

    private final @Nullable PacketFacts facts;

    /** Null: rules that changed judge no open connections. */
    private final @Nullable Reevaluation anew;

    private PacketTuple last = new PacketTuple();
    private long doubtful;
    private long answering;

    /** No connections so far. */
    public Connections(TrackerOptions options) {
        this(options, new ConnectionTracker(options), null);
    }

    /**
     * No connections so far, each of which has a row.
     *
     * @param rows takes each row once
     * @param facts of the packets that are judged
     */
    public Connections(TrackerOptions options, ConnectionRows rows, PacketFacts facts) {
        this(options, new ConnectionTracker(options, rows), facts);
    }

    private Connections(
            TrackerOptions options, ConnectionTracker tracker, @Nullable PacketFacts facts) {
        this.tracker = tracker;
        this.facts = facts;
        anew = options.reevaluates() ? new Reevaluation() : null;
        doubtsPickedUp = options.doubtsPickedUp();
        followsDatagrams = options.model() == TrackerOptions.Model.LINUX;
        windows = options.windows();
    }

    /**
     * The connections of an image.
     *
     * @param options with the seed of those that made the image
     * @param image with all pages
     * @param datagrams what {@link #datagramsIfChanged} told last; null: it never told any
     * @param rows takes each row once; null: there are none
     * @param facts of the packets that are judged; null where there are no rows
     * @throws IllegalArgumentException if pages are missing or do not fit together
     */
    public Connections(
            TrackerOptions options,
            TrackerImage image,
            byte @Nullable [] datagrams,
            @Nullable ConnectionRows rows,
            @Nullable PacketFacts facts) {
        this(options, new ConnectionTracker(options, image, rows), facts);
        if (datagrams != null) {
            fragments.restore(datagrams);
        }
    }

    /** The pages that changed since the last call; they are copied when they next change. */
    public TrackerImage imageOfChanges() {
        return tracker.image(false);
    }

    /** The states of datagrams, if there are others than at the last call; else null. */
    public byte @Nullable [] datagramsIfChanged() {
        return fragments.isChanged() ? fragments.toBytes() : null;
    }

    /** Tells whether later fragments have the state of their datagram. */
    boolean followsDatagrams() {
        return followsDatagrams;
    }

    /** Sets the length of a packet, where rows are kept. */
    void measure(PacketTuple packet, int at) {
        if (facts != null) {
            packet.length(facts.length(at));
        }
    }

    /** Sets the version of the rules that judge the packets to come. */
    void judgedBy(long version) {
        if (anew != null) {
            anew.by(version);
        }
    }

    /** Tells whether the last packet is judged as if it began its connection, which is open. */
    boolean isJudgedAnew() {
        return anew != null && anew.isPending();
    }

    /** Tells the state of a packet, as {@link ConnectionTracker} does; unknown if it is doubted. */
    int state(PacketTuple packet, @Nullable PacketTuple embedded, long nanos) {
        int state = tracker.state(packet, embedded, nanos);
        if (anew != null) {
            last = packet;
        }
        if (state == ConnectionTracker.UNKNOWN || !doubtsPickedUp || !tracker.isPickedUp()) {
            return anew == null || tracker.begins() || !packet.isKeyed()
                    ? state
                    : anew.state(state, tracker.table(packet), packet);
        }
        answering += (state & ConnectionTracker.REPLY) != 0 ? 1 : 0;
        return ConnectionTracker.UNKNOWN;
    }

    /**
     * Takes the fate of the last packet.
     *
     * @param state of the packet
     */
    public void decided(int state, VerdictOutcome outcome) {
        decided(state, outcome, 0, 0);
    }

    private void decided(int state, VerdictOutcome outcome, int opening, long number) {
        if (state != ConnectionTracker.UNKNOWN && (state & ConnectionTracker.REPLY) != 0) {
            answering++;
        }
        if (tracker.begins()) {
            tracker.decided(outcome != VerdictOutcome.DENY, opening, number);
            doubtful += outcome == VerdictOutcome.DEPENDS ? 1 : 0;
            if (anew != null && outcome != VerdictOutcome.DENY) {
                anew.entered(tracker.table(last), last);
            }
        } else if (anew != null && anew.isPending()) {
            anew.decided(tracker.table(last), last, outcome != VerdictOutcome.DENY);
            doubtful += outcome == VerdictOutcome.DEPENDS ? 1 : 0;
        }
    }

    /**
     * Takes the fate of the last packet, which {@link PacketFacts} tell of.
     *
     * @param rule that decided
     */
    void decided(int at, int state, int rule, VerdictOutcome outcome) {
        PacketFacts of = facts;
        if (of == null) {
            decided(state, outcome, 0, 0);
            return;
        }
        int opening = tracker.begins() ? of.opening(at, rule) : 0;
        decided(state, outcome, opening, of.number(at));
        ConnectionRow refusal = tracker.refusal();
        if (refusal != null) {
            of.refused(at, refusal);
        }
    }

    /**
     * Hands on the rows that are due, and those of connections that ended. Connections that go on
     * have a row once an interval in which they had packets.
     *
     * @param interval in nanoseconds of packet time; 0: all rows, now
     */
    public void handDue(long interval) {
        tracker.handDue(interval);
    }

    /** Hands on the rows of the connections that are left; called once, after the last packet. */
    public void handRest() {
        tracker.handRest();
    }

    /** Connections that have not ended; looks at all. */
    public long live() {
        return tracker.live();
    }

    /** Connections whose first packet was refused; 0 where no rows are kept. */
    public long refusedConnections() {
        return tracker.refusedConnections();
    }

    public TrackerCounts counts() {
        return tracker.counts()
                .plus(
                        new TrackerCounts(
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                doubtful,
                                answering,
                                anew == null ? 0 : anew.judged(),
                                anew == null ? 0 : anew.ended(),
                                0));
    }
}
