package dev.sluice.operators.connections;

/**
 * Judges open connections anew by rules that came after those that let them in: the next packet of
 * who began stands for the first one. Each slot has the version of the rules that judged its
 * connection last. Not thread-safe.
 */
final class Reevaluation {
    private long version = SlotLayout.NO_VERSION;
    private boolean pending;
    private long judged;
    private long ended;

    /** Sets the version of the rules that judge the packets to come. */
    void by(long number) {
        version = number;
    }

    /**
     * Tells the state that a packet is judged in.
     *
     * @param state that the tracker told
     * @param table which has the packet's connection, if there is one
     */
    int state(int state, ConnectionTable table, PacketTuple packet) {
        pending = false;
        if (state == ConnectionTracker.UNKNOWN
                || (state & (ConnectionTracker.NEW | ConnectionTracker.ESTABLISHED)) == 0) {
            return state;
        }
        ConnectionPage page = table.page(packet.hash());
        int at = page.find(packet);
        if (at < 0 || page.version(at) >= version) {
            return state;
        }
        boolean begins = packet.toItself() || SlotBits.direction(page.bits(at), packet) == 0;
        pending = begins;
        return begins ? ConnectionTracker.TRACKED | ConnectionTracker.NEW : state;
    }

    /** Tells whether the last packet is judged as if it began its connection, which is open. */
    boolean isPending() {
        return pending;
    }

    /** Takes the verdict on such a packet: its connection goes on, or ends here. */
    void decided(ConnectionTable table, PacketTuple packet, boolean passed) {
        pending = false;
        judged++;
        ConnectionPage page = table.page(packet.hash());
        int at = page.find(packet);
        if (passed) {
            page.version(at, version);
        } else {
            ended++;
            table.remove(page, at, ConnectionEnd.RULES_CHANGED);
        }
    }

    /** Takes a connection that was entered. */
    void entered(ConnectionTable table, PacketTuple packet) {
        ConnectionPage page = table.page(packet.hash());
        page.version(page.find(packet), version);
    }

    /** Connections that were judged anew. */
    long judged() {
        return judged;
    }

    /** Connections that were refused so, and ended. */
    long ended() {
        return ended;
    }
}
