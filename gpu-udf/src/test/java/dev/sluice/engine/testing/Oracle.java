package dev.sluice.engine.testing;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Program that tests compare Sluice with. A test without its oracle is skipped; on a build server,
 * which says {@code CI=true}, it fails.
 */
public enum Oracle {
    /** Compiles the kernels' code for the CPU. */
    COMPILER("g++", "g++"),
    /** Reads captures. */
    TSHARK("tshark", "tshark"),
    /** Reads OpenFlow rules, as Open vSwitch does. */
    SWITCH("ovs-ofctl", "openvswitch-common"),
    /** Judges packets by OpenFlow rules, as Open vSwitch does. */
    SWITCH_DAEMON("ovs-vswitchd", "openvswitch-switch"),
    /** Loads policies of Linux into the kernel, through both of its interfaces. */
    IPTABLES("iptables-legacy-restore", "iptables"),
    /** Loads rulesets of nftables into the kernel. */
    NFT("nft", "nftables"),
    /** Loads sets of addresses that rules of iptables use. */
    IPSET("ipset", "ipset"),
    /** Adds connections to those that the kernel tracks. */
    CONNTRACK("conntrack", "conntrack"),
    /** Makes addresses and routes of a network namespace. */
    IP("ip", "iproute2"),
    /** Shows pages, as a user's browser does. */
    BROWSER("chromium", "chromium"),
    /** Lets tests use the browser. */
    BROWSER_DRIVER("chromedriver", "chromium-driver");

    private final String program;
    private final String debianPackage;

    Oracle(String program, String debianPackage) {
        this.program = program;
        this.debianPackage = debianPackage;
    }

    /** Skips the test where the program is not on the path; on a build server fails it. */
    public void require() {
        require(System.getenv("PATH"), System.getenv("CI"));
    }

    void require(String path, String ci) {
        boolean present =
                Stream.of(path.split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
        if (present) {
            return;
        }
        absent(
                "there is no %s on the path; install it with: sudo apt-get install -y %s"
                        .formatted(program, debianPackage),
                ci);
    }

    /** Skips the test, which cannot ask its oracle; on a build server fails it. */
    public static void absent(String sentence) {
        absent(sentence, System.getenv("CI"));
    }

    private static void absent(String sentence, @Nullable String ci) {
        if (isBuildServer(ci)) {
            fail("CI skips no oracle: " + sentence);
        }
        abort("skipped: " + sentence);
    }

    private static boolean isBuildServer(@Nullable String ci) {
        return ci != null && !ci.isBlank() && !ci.toLowerCase(Locale.ROOT).equals("false");
    }
}
