package dev.sluice.policy.cisco;

import java.util.List;
import java.util.regex.Pattern;

/** Operating system whose access lists a text holds. */
enum CiscoDialect {
    IOS,
    NXOS,
    XR,
    EOS,
    ASA;

    private static final Pattern ARISTA =
            Pattern.compile(
                    "(?m)^(! device: .*EOS|!RANCID-CONTENT-TYPE: arista|IP Access List |transceiver qsfp)"
                            + "|\\[match \\d+ packets");
    private static final Pattern ROUTER =
            Pattern.compile(
                    "(?m)^(!! IOS XR|!RANCID-CONTENT-TYPE: cisco-xr|(no )?ipv4 access-list )"
                            + "|^\\s+ipv[46] access-group .* (ingress|egress)");
    private static final Pattern NEXUS =
            Pattern.compile(
                    "(?m)^(!Command: show|!RANCID-CONTENT-TYPE: cisco-nx|feature \\S|vdc \\S|IP access list )"
                            + "|^(no )?ip access-list (?!extended |standard |resequence |logging |log-update )\\S");

    private static final Pattern FIREWALL =
            Pattern.compile(
                    "(?m)^(: Saved|ASA Version |PIX Version )"
                            + "|^ *access-list \\S+ (line [0-9]+ )?(extended|webtype|ethertype) "
                            + "|^access-list \\S+; [0-9]+ elements"
                            + "|^access-group \\S+ (in interface|out interface|global)");

    /** Returns whether a text is of an ASA. */
    static boolean isAsa(String begin) {
        return FIREWALL.matcher(begin).find();
    }

    /** The dialect of a configuration of a router or switch. */
    static CiscoDialect of(String text) {
        for (CiscoDialect one : List.of(EOS, XR, NXOS)) {
            Pattern sign = one == EOS ? ARISTA : one == XR ? ROUTER : NEXUS;
            if (sign.matcher(text).find()) {
                return one;
            }
        }
        return IOS;
    }
}
