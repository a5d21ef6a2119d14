package dev.sluice.job.capture;

/** Which tags in front of a payload are looked through. */
public enum TagDepth {
    /** VLAN tags however many, and every {@link LinkTag}; IP in an LLC frame of SAP 6, too. */
    ALL,
    /** One VLAN tag, as Open vSwitch: the EtherType behind it is that of the frame. */
    SWITCH
}
