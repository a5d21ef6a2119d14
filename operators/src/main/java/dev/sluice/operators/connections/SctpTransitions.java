package dev.sluice.operators.connections;

/**
 * The SCTP state machine of nf_conntrack (sctp_conntracks in nf_conntrack_proto_sctp.c): the next
 * state by direction, kind of chunk and state.
 */
final class SctpTransitions {
    static final int NONE = 0;
    static final int CLOSED = 1;
    static final int ESTABLISHED = 4;
    static final int HEARTBEAT_SENT = 8;

    /** The chunk belongs to no such connection. */
    static final int INVALID = 9;

    /** A row a kind of chunk, a column a state from NONE to HEARTBEAT_SENT: the next one. */
    private static final String[][] ROWS = {
        {
            // from who began
            "INIT              CL CL CW CE ES CL CL SA CW",
            "INIT_ACK          CL CL CW CE ES SS SR SA CL",
            "ABORT             CL CL CL CL CL CL CL CL CL",
            "SHUTDOWN          CL CL CW CE SS SS SR SA CL",
            "SHUTDOWN_ACK      SA CL CW CE ES SA SA SA SA",
            "ERROR             CL CL CW CE ES SS SR SA CL",
            "COOKIE_ECHO       CL CL CE CE ES SS SR SA CL",
            "COOKIE_ACK        CL CL CW ES ES SS SR SA CL",
            "SHUTDOWN_COMPLETE CL CL CW CE ES SS SR CL CL",
            "HEARTBEAT         HS CL CW CE ES SS SR SA HS",
            "HEARTBEAT_ACK     CL CL CW CE ES SS SR SA HS"
        },
        {
            // from who answers
            "INIT              IV CL CW CE ES SS SR SA IV",
            "INIT_ACK          IV CW CW CE ES SS SR SA IV",
            "ABORT             IV CL CL CL CL CL CL CL IV",
            "SHUTDOWN          IV CL CW CE SR SS SR SA IV",
            "SHUTDOWN_ACK      IV CL CW CE ES SA SA SA IV",
            "ERROR             IV CL CW CL ES SS SR SA IV",
            "COOKIE_ECHO       IV CL CE CE ES SS SR SA IV",
            "COOKIE_ACK        IV CL CW ES ES SS SR SA IV",
            "SHUTDOWN_COMPLETE IV CL CW CE ES SS SR CL IV",
            "HEARTBEAT         IV CL CW CE ES SS SR SA HS",
            "HEARTBEAT_ACK     IV CL CW CE ES SS SR SA ES"
        }
    };

    private static final String NAMES = "NO CL CW CE ES SS SR SA HS IV";

    /** Number of kinds of chunks, those with a reflected tag not counted. */
    static final int KINDS = 11;

    private static final byte[] NEXT = table();

    private SctpTransitions() {}

    private static byte[] table() {
        byte[] next = new byte[2 << 8];
        for (int direction = 0; direction < 2; direction++) {
            for (int kind = 1; kind <= KINDS; kind++) {
                String[] words = ROWS[direction][kind - 1].split(" +");
                for (int state = NONE; state <= HEARTBEAT_SENT; state++) {
                    next[direction << 8 | kind << 4 | state] =
                            (byte) (NAMES.indexOf(words[state + 1]) / 3);
                }
            }
        }
        return next;
    }

    /**
     * Returns the next state, or {@link #INVALID}.
     *
     * @param direction 0 from who began, 1 from who answers
     * @param kind of {@link dev.sluice.schemas.header.SctpChunks}, 1 to {@link #KINDS}
     */
    static int next(int direction, int kind, int state) {
        return NEXT[direction << 8 | kind << 4 | state];
    }

    /** Replaces a cell, so that a test can show that it would be told. */
    static void replace(int direction, int kind, int state, int next) {
        NEXT[direction << 8 | kind << 4 | state] = (byte) next;
    }
}
