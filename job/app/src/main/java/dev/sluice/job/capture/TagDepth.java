package dev.sluice.job.capture;

/** Choice of the tags before a payload that are parsed. */
public enum TagDepth {
    /** Any number of VLAN tags, and every {@link LinkTag}; also IP in an LLC frame of SAP 6. */
    ALL,
    /** One VLAN tag, as in Open vSwitch: the EtherType after it is the frame's. */
    SWITCH
}
