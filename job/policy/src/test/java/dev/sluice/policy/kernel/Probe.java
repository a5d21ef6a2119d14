package dev.sluice.policy.kernel;

/** Frame or packet that tests give to the kernel. */
interface Probe {
    /** Returns the way that the process in the namespace knows. */
    int way();

    /** Returns the mark of a packet that leaves. */
    int mark();

    /** Returns the frame that arrives, of a packet that leaves the packet itself. */
    byte[] bytes();
}
