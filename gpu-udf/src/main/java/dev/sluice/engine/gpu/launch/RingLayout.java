package dev.sluice.engine.gpu.launch;

/**
 * Layout of the ring in pinned memory through which a kernel that stays takes its batches, and of
 * the control in device memory through which its blocks learn of them.
 *
 * <pre>
 * ring     0 head | 1 stop | 2 idle µs | 3 stay µs | 4 residency         the host writes these
 *          32 left | 33 left at | 64.. done, a word each entry           the device writes these
 *          128.. entries                                                 the host writes these
 * control  0 head | 1 leave | 2 exits | 64.. ended, a word each entry | 128.. entries
 * entry    headers' address, lower half first | verdicts' | stride | count | 0 | 0
 * </pre>
 */
public final class RingLayout {
    /**
     * Entries, a power of two: more than there are staging buffers, so that none is overwritten
     * before its batch has its verdicts.
     */
    public static final int ENTRIES = 64;

    // What the host writes.
    /** Batches that were put in the ring, modulo 2^32. */
    public static final int HEAD = 0;

    /** 1 asks the kernel to leave. */
    public static final int STOP = 1;

    /** µs without a batch after which it leaves. */
    public static final int IDLE_MICROS = 2;

    /** µs after which it leaves though batches come. */
    public static final int STAY_MICROS = 3;

    /** How often the kernel was started. */
    public static final int RESIDENCY = 4;

    // What the device writes.
    /** The residency that has ended. */
    public static final int LEFT = 32;

    /** Number of the batch before which it left. */
    public static final int LEFT_AT = 33;

    /** For each entry the number of the last batch that ended there, + 1. */
    public static final int DONE = 64;

    /** First entry. */
    public static final int ENTRY = DONE + ENTRIES;

    // An entry.
    /** Address of the headers, lower half first. */
    public static final int HEADERS = 0;

    /** Address of the verdicts, lower half first. */
    public static final int VERDICTS = 2;

    /** Distance of two words of a header. */
    public static final int STRIDE = 4;

    /** Number of headers. */
    public static final int COUNT = 5;

    /** Size of an entry in words. */
    public static final int ENTRY_WORDS = 8;

    /** Size of the ring in words, and of the control. */
    public static final int WORDS = ENTRY + ENTRIES * ENTRY_WORDS;

    // The control: head and leave are one store.
    /** Entries that were told. */
    public static final int CONTROL_HEAD = 0;

    /** 1: leave behind them. */
    public static final int CONTROL_LEAVE = 1;

    /** Blocks that have left. */
    public static final int CONTROL_EXITS = 2;

    /** For each entry the blocks that have ended it. */
    public static final int CONTROL_ENDED = DONE;

    /** First entry, copied from the ring. */
    public static final int CONTROL_ENTRY = ENTRY;

    private RingLayout() {}
}
