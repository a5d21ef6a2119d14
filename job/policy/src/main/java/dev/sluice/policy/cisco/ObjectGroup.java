package dev.sluice.policy.cisco;

import java.util.ArrayList;
import java.util.List;

/**
 * Object or object group.
 *
 * @param kind network, service, port, protocol, icmp-type, or another word of the device
 * @param protocols protocols of its ports, as in {@code object-group service WEB tcp}; empty: any
 * @param members its lines
 */
record ObjectGroup(String kind, String name, int line, String protocols, List<LineWords> members) {
    ObjectGroup(String kind, String name, int line, String protocols) {
        this(kind, name, line, protocols, new ArrayList<>());
    }
}
