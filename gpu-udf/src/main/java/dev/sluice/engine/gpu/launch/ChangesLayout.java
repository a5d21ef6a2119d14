package dev.sluice.engine.gpu.launch;

/**
 * Layout of the parameter of the kernel {@code overlay}, which looks up what changed since an image
 * was compiled. An address is two words, the lower one first.
 *
 * <pre>
 * address of the words of rules that came | of the ticks at which base rules went | of the verdicts
 * that it writes | tick | offset of the directory | words of a header | base rules | 0
 * </pre>
 */
public final class ChangesLayout {
    /** Address of the words of rules that came. */
    public static final int INSERTED = 0;

    /** Address of the ticks at which base rules went. */
    public static final int REMOVED = 2;

    /** Address of the verdicts that the kernel writes; those that it reads are an argument. */
    public static final int VERDICTS = 4;

    /** Tick of the version that is looked up. */
    public static final int TICK = 6;

    /** Offset of the version's directory. */
    public static final int DIRECTORY = 7;

    /** Number of words of a header. */
    public static final int HEADER_WORDS = 8;

    /** Number of base rules. */
    public static final int BASE_RULES = 9;

    /** Size of the parameter in words. */
    public static final int WORDS = 10;

    private ChangesLayout() {}
}
