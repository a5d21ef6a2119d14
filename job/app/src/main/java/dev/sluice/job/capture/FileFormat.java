package dev.sluice.job.capture;

import org.jspecify.annotations.Nullable;

/**
 * Formats of files that are identified by their first bytes but not read. They are captures of
 * other programs, which Wireshark's editcap converts to pcapng, and compressions.
 */
enum FileFormat {
    SNOOP("snoop", "snoop\0\0\0"),
    NETMON_1("Network Monitor 1", "RTSS"),
    NETMON_2("Network Monitor 2", "GMBU"),
    IXIA_HARDWARE("Ixia lcap (hardware)", "\u00ac\u0001\0\u001c"),
    IXIA_SOFTWARE("Ixia lcap (software)", "\u00ab\u0001\0\u001c"),
    NETXRAY("NetXRay", "XCP\0"),
    SNIFFER("Sniffer", "TRSNIFF data    \u001a"),
    ETHERPEEK("OmniPeek", "\u007fver"),
    OBSERVER("Network Instruments Observer", "ObserverPktBuff"),
    IPTRACE("AIX iptrace", "iptrace "),
    VISUAL("Visual Networks", "\u0005VNF"),
    BTSNOOP("btsnoop", "btsnoop\0"),
    FIVE_VIEWS("5View", "\u00aa\u00aa\u00aa\u00aa"),
    NETTL("HP-UX nettl", "TR\0d\0"),
    LANALYZER("LANalyzer", "\u0001\u0010L\0\u0001\u0005Trace"),
    K12("K12", "\0\0\u0002\0\u0012\u0005\0\u0010"),
    XZ("xz", "\u00fd7zXZ\0", "decompress it first"),
    BZIP2("bzip2", "BZh", "decompress it first"),
    ZIP("zip", "PK\u0003\u0004", "decompress it first"),
    LZ4_LEGACY("old lz4", "\u0002!L\u0018", "decompress it first");

    /** Remedy for a foreign capture. */
    private static final String EDITCAP = "write it as pcapng: editcap -F pcapng FILE FILE.pcapng";

    private static final int ERF_HEADER_BYTES = 16;
    private static final int ERF_TYPES = 48;

    private final String title;

    /** Magic number, one character for each byte. */
    private final String magic;

    private final String remedy;

    FileFormat(String title, String magic) {
        this(title, magic, EDITCAP);
    }

    FileFormat(String title, String magic, String remedy) {
        this.title = title;
        this.magic = magic;
        this.remedy = remedy;
    }

    /** Number of first bytes that identify the formats. */
    static final int MOST_BYTES = 64;

    /**
     * Names a file's format, with the remedy; null: the format is unknown.
     *
     * @param b holds the file's first bytes
     * @param at index of the first of them
     * @param length number of bytes there
     */
    static @Nullable String describe(byte[] b, int at, int length) {
        for (FileFormat format : values()) {
            if (format.begins(b, at, length)) {
                return "as %s files do; %s".formatted(format.title, format.remedy);
            }
        }
        return isErf(b, at, length) ? "as ERF files do; " + EDITCAP : null;
    }

    private boolean begins(byte[] b, int at, int length) {
        if (length < magic.length()) {
            return false;
        }
        for (int i = 0; i < magic.length(); i++) {
            if ((b[at + i] & 0xff) != magic.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Tells whether a file is ERF, which starts with a record, without a magic number. The record
     * has time, type, flags, length, losses, length on the wire.
     */
    private static boolean isErf(byte[] b, int at, int length) {
        if (length < ERF_HEADER_BYTES) {
            return false;
        }
        int seconds = Bytes.intLe(b, at + 4);
        int type = b[at + 8] & 0x7f;
        int record = Bytes.shortBe(b, at + 10);
        int wire = Bytes.shortBe(b, at + 14);
        boolean padded = type > 0 && type <= ERF_TYPES && record >= ERF_HEADER_BYTES;
        // Between 2001 and 2033, and no more bytes than a frame has.
        return padded && seconds >= 1_000_000_000 && seconds < 2_000_000_000 && wire <= 1 << 14;
    }
}
