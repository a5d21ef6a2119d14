package dev.sluice.operators.connections;

import java.util.List;

/** SCTP of one connection, written after nf_conntrack_sctp_packet as directly as it goes. */
final class ReferenceSctp {
    /** Kinds of chunks, as nf_conntrack numbers their rows; others change no state. */
    private static final List<String> KINDS =
            List.of("init", "initack", "abort", "shut", "shutack", "error", "echo", "cack", "comp");

    /** Next states by row, of who began; the columns are the states. */
    private static final String[] ORIGINAL = {
        "CL CL CW CE ES CL CL SA CW",
        "CL CL CW CE ES SS SR SA CL",
        "CL CL CL CL CL CL CL CL CL",
        "CL CL CW CE SS SS SR SA CL",
        "SA CL CW CE ES SA SA SA SA",
        "CL CL CW CE ES SS SR SA CL",
        "CL CL CE CE ES SS SR SA CL",
        "CL CL CW ES ES SS SR SA CL",
        "CL CL CW CE ES SS SR CL CL",
        "HS CL CW CE ES SS SR SA HS",
        "CL CL CW CE ES SS SR SA HS"
    };

    private static final String[] REPLIES = {
        "IV CL CW CE ES SS SR SA IV",
        "IV CW CW CE ES SS SR SA IV",
        "IV CL CL CL CL CL CL CL IV",
        "IV CL CW CE SR SS SR SA IV",
        "IV CL CW CE ES SA SA SA IV",
        "IV CL CW CL ES SS SR SA IV",
        "IV CL CE CE ES SS SR SA IV",
        "IV CL CW ES ES SS SR SA IV",
        "IV CL CW CE ES SS SR CL IV",
        "IV CL CW CE ES SS SR SA HS",
        "IV CL CW CE ES SS SR SA ES"
    };

    static final List<String> STATES =
            List.of("NO", "CL", "CW", "CE", "ES", "SS", "SR", "SA", "HS", "unknown");

    /** Names of the states in timeouts and rows. */
    static final List<String> NAMES =
            List.of(
                    "none",
                    "closed",
                    "cookie_wait",
                    "cookie_echoed",
                    "established",
                    "shutdown_sent",
                    "shutdown_recd",
                    "shutdown_ack_sent",
                    "heartbeat_sent",
                    "unknown");

    /** Packets: chunks, of which T marks a tag that is reflected. */
    static final List<String> PACKETS =
            List.of(
                    "init",
                    "init",
                    "initack",
                    "initack",
                    "echo",
                    "cack",
                    "echo data",
                    "cack other",
                    "data",
                    "other",
                    "shut",
                    "shutack",
                    "comp",
                    "compT",
                    "abort",
                    "abortT",
                    "error",
                    "hb",
                    "hback",
                    "hb data",
                    "hback data",
                    "hb hback",
                    "shut hb",
                    "hb shutack",
                    "shut hb data",
                    "untold");

    final int[] vtag = new int[2];
    private final boolean[] init = new boolean[2];
    private boolean failed;
    private int lastDirection;
    String state = "NO";

    /** State whose timeout the last packet that began one began. */
    String timed = "NO";

    boolean assures;

    /** Tells that the last packet's timeout began. */
    boolean renewed;

    /** Takes the packet that begins the connection: accept or invalid. */
    String begin(DrawnPacket packet) {
        String chunks = packet.chunks();
        if (chunks.equals("untold")) {
            state = "unknown";
            timed = state;
            return "accept";
        }
        for (String chunk : chunks.split(" ")) {
            switch (chunk) {
                case "abort", "abortT", "comp", "compT", "cack", "data", "other" -> {
                    return "invalid";
                }
                case "init" -> vtag[1] = packet.initTag();
                case "hb" -> vtag[0] = packet.tag();
                case "shutack" -> vtag[1] = packet.tag();
                default -> {}
            }
        }
        return packet(packet, 0, false);
    }

    /** Takes a packet: accept, ignore (the timeout goes on) or invalid. */
    String packet(DrawnPacket packet, int dir, boolean confirmed) {
        renewed = true;
        if (packet.chunks().equals("untold") || state.equals("unknown")) {
            state = "unknown";
            timed = state;
            return "accept";
        }
        List<String> chunks = List.of(packet.chunks().split(" "));
        boolean data = chunks.contains("data");
        boolean ignore = false;
        int sent = packet.tag();
        int other = 1 - dir;
        List<String> free = List.of("init", "comp", "compT", "echo", "abort", "abortT");
        boolean checked =
                chunks.stream().noneMatch(free::contains)
                        && !chunks.contains("shutack")
                        && !chunks.contains("hb")
                        && !chunks.contains("hback");
        if (checked && sent != vtag[dir]) {
            return "invalid";
        }
        for (String chunk : chunks) {
            boolean wrong =
                    switch (chunk) {
                        case "init" -> sent != 0;
                        case "abort", "comp", "echo" -> sent != vtag[dir];
                        case "abortT", "compT" -> sent != vtag[other];
                        default -> false;
                    };
            if (wrong) {
                return "invalid";
            }
            if (chunk.equals("cack")) {
                init[0] = false;
                init[1] = false;
            }
            if (chunk.startsWith("hb")) {
                if (vtag[dir] == 0) {
                    vtag[dir] = sent;
                } else if (sent != vtag[dir]) {
                    if (data || ignore) {
                        return "invalid";
                    }
                    if (chunk.equals("hb")) {
                        failed = true;
                        lastDirection = dir;
                        ignore = true;
                        continue;
                    }
                    if (!failed || lastDirection == dir) {
                        return "invalid";
                    }
                    failed = false;
                    vtag[dir] = sent;
                    vtag[other] = 0;
                } else {
                    failed = false;
                }
            }
            String old = state;
            String next = next(dir, chunk);
            if (next.equals("IV")) {
                return "invalid";
            }
            if (chunk.equals("init")) {
                if (old.equals("NO") || vtag[other] != packet.initTag()) {
                    init[other] = init[other] && !init[dir];
                    init[dir] = true;
                }
                vtag[other] = packet.initTag();
                ignore |= next.equals("CL") && old.equals("CL") && confirmed;
            } else if (chunk.equals("initack")) {
                boolean differs = vtag[other] != packet.initTag();
                if (!init[other] && vtag[other] != 0 && differs
                        || init[dir] && init[other] && differs) {
                    return "invalid";
                }
                vtag[other] = packet.initTag();
            }
            state = next;
            assures |= next.equals("ES") && !old.equals("ES");
        }
        if (ignore) {
            renewed = false;
            return "ignore";
        }
        timed = state;
        return "accept";
    }

    private String next(int dir, String chunk) {
        String kind = chunk.replace("T", "");
        int row =
                switch (kind) {
                    case "hb" -> 9;
                    case "hback" -> 10;
                    default -> KINDS.indexOf(kind);
                };
        String[] table = dir == 0 ? ORIGINAL : REPLIES;
        return row < 0 ? state : table[row].split(" ")[STATES.indexOf(state)];
    }
}
