package dev.sluice.operators.connections;

/**
 * The TCP state machine of nf_conntrack (tcp_conntracks in nf_conntrack_proto_tcp.c): the next
 * state by direction, kind of segment and state.
 */
final class TcpTransitions {
    static final int NONE = 0;
    static final int SYN_SENT = 1;
    static final int SYN_RECV = 2;
    static final int ESTABLISHED = 3;
    static final int FIN_WAIT = 4;
    static final int CLOSE_WAIT = 5;
    static final int LAST_ACK = 6;
    static final int TIME_WAIT = 7;
    static final int CLOSE = 8;
    static final int SYN_SENT2 = 9;

    /** The segment belongs to no such connection. */
    static final int INVALID = 10;

    /**
     * The segment is let pass and changes no state: the ends may be in sync, and the tracker not.
     */
    static final int IGNORE = 11;

    static final int SYN = 0;
    static final int SYN_ACK = 1;
    static final int FIN = 2;
    static final int ACK = 3;
    static final int RST = 4;
    static final int OTHER = 5;

    private static final int FIN_BIT = 1;
    private static final int SYN_BIT = 2;
    private static final int RST_BIT = 4;
    private static final int ACK_BIT = 16;
    private static final int URG_BIT = 32;

    /** A row a kind of segment, a column a state from NONE to SYN_SENT2: the number of the next. */
    private static final String[][] ROWS = {
        {
            // from who began
            "SYN     SS SS IG IG IG IG IG SS SS S2",
            "SYN+ACK IV IV SR IV IV IV IV IV IV SR",
            "FIN     IV IV FW FW LA LA LA TW CL IV",
            "ACK     ES IV ES ES CW CW TW TW CL IV",
            "RST     IV CL CL CL CL CL CL CL CL CL",
            "other   IV IV IV IV IV IV IV IV IV IV"
        },
        {
            // from who answers
            "SYN     IV S2 IV IV IV IV IV SS IV S2",
            "SYN+ACK IV SR IG IG IG IG IG IG IG SR",
            "FIN     IV IV FW FW LA LA LA TW CL IV",
            "ACK     IV IG SR ES CW CW TW TW CL IG",
            "RST     IV CL CL CL CL CL CL CL CL CL",
            "other   IV IV IV IV IV IV IV IV IV IV"
        }
    };

    private static final String NAMES = "NO SS SR ES FW CW LA TW CL S2 IV IG";

    private static final byte[] NEXT = table();

    private TcpTransitions() {}

    private static byte[] table() {
        byte[] next = new byte[2 << 7];
        for (int direction = 0; direction < 2; direction++) {
            for (int kind = 0; kind < 6; kind++) {
                String[] words = ROWS[direction][kind].split(" +");
                for (int state = 0; state < 10; state++) {
                    next[direction << 7 | kind << 4 | state] =
                            (byte) (NAMES.indexOf(words[state + 1]) / 3);
                }
            }
        }
        return next;
    }

    /**
     * Returns the next state, {@link #INVALID} or {@link #IGNORE}.
     *
     * @param direction 0 from who began, 1 from who answers
     */
    static int next(int direction, int kind, int state) {
        return NEXT[direction << 7 | kind << 4 | state];
    }

    /** Replaces a cell, so that a test can show that it would be told. */
    static void replace(int direction, int kind, int state, int next) {
        NEXT[direction << 7 | kind << 4 | state] = (byte) next;
    }

    /** Returns the kind of a segment by its flags. */
    static int kind(int flags) {
        if ((flags & RST_BIT) != 0) {
            return RST;
        }
        if ((flags & SYN_BIT) != 0) {
            return (flags & ACK_BIT) != 0 ? SYN_ACK : SYN;
        }
        if ((flags & FIN_BIT) != 0) {
            return FIN;
        }
        return (flags & ACK_BIT) != 0 ? ACK : OTHER;
    }

    /** Tells whether TCP has a combination of flags; PSH, ECE, CWR and AE may be added to any. */
    static boolean valid(int flags) {
        return switch (flags & (FIN_BIT | SYN_BIT | RST_BIT | ACK_BIT | URG_BIT)) {
            case SYN_BIT,
                    SYN_BIT | URG_BIT,
                    SYN_BIT | ACK_BIT,
                    RST_BIT,
                    RST_BIT | ACK_BIT,
                    FIN_BIT | ACK_BIT,
                    FIN_BIT | ACK_BIT | URG_BIT,
                    ACK_BIT,
                    ACK_BIT | URG_BIT ->
                    true;
            default -> false;
        };
    }
}
