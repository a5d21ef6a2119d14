package dev.sluice.job.capture;

/** Link types that the parser reads, by their LINKTYPE_ and (raw IP) DLT_ numbers. */
final class LinkTypes {
    static final int NULL = 0;
    static final int ETHERNET = 1;
    static final int RAW_BSD = 12;
    static final int RAW_OPENBSD = 14;
    static final int RAW = 101;
    static final int LOOP = 108;
    static final int LINUX_SLL = 113;
    static final int IPV4 = 228;
    static final int IPV6 = 229;
    static final int LINUX_SLL2 = 276;

    private LinkTypes() {}
}
