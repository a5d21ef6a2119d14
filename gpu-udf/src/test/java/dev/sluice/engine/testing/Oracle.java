package dev.sluice.engine.testing;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

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
    SWITCH("ovs-ofctl", "openvswitch-common");

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
        String sentence =
                "there is no %s on the path; install it with: sudo apt-get install -y %s"
                        .formatted(program, debianPackage);
        if (isBuildServer(ci)) {
            fail("CI skips no oracle: " + sentence);
        }
        abort("skipped: " + sentence);
    }

    private static boolean isBuildServer(String ci) {
        return ci != null && !ci.isBlank() && !ci.toLowerCase(Locale.ROOT).equals("false");
    }
}
