package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code sluice} in a checkout of its own, with a Java and a Maven that note calls. */
class LauncherTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)\\)");

    @TempDir Path folder;
    private Path checkout;

    /** LC_ALL of the script. */
    private String hadoop = "";

    private String locale = "C.UTF-8";

    private record Ran(int status, String out) {}

    @BeforeEach
    void makeACheckout() throws IOException {
        checkout = folder.resolve("checkout");
        Files.createDirectories(checkout.resolve("job/app/src/main"));
        Files.createDirectories(checkout.resolve("job/app/target"));
        Files.createDirectories(checkout.resolve("job/lab/target"));
        Path script = TestData.office("office.ovs").resolve("../../../sluice").normalize();
        Files.copy(script, checkout.resolve("sluice"));
        Files.writeString(checkout.resolve("pom.xml"), "<project/>");
        Files.writeString(checkout.resolve("job/app/pom.xml"), "<project/>");
        Files.createDirectories(checkout.resolve("schemas/src/main"));
        Files.writeString(checkout.resolve("schemas/pom.xml"), "<version>1.2</version>\n");
        Files.writeString(checkout.resolve("job/app/src/main/A.java"), "class A {}");
        Files.writeString(checkout.resolve("job/app/src/main/B.java"), "class B {}");
        Files.writeString(checkout.resolve("job/app/target/sluice-job.jar"), "");
        program(
                "java",
                "[ \"$1\" != -version ] || { echo 'openjdk version \"17.0.1\"' >&2; exit 0; }",
                "for word; do case $word in -XX:ArchiveClassesAtExit=*)",
                "  echo made >>'" + folder + "/archives'",
                "  [ -e '" + folder + "/no-archive' ] || echo classes >${word#*=}; exit 0 ;;",
                "esac; done",
                "printf '%s\\n' \"$@\" >'" + folder + "/java.call'",
                "printf %s \"$LC_ALL\" >'" + folder + "/java.locale'",
                "exit \"${WANTED:-0}\"");
        program("javac", "exit 0");
        program("mvn", "echo \"$@\" >>'" + folder + "/mvn.calls'");
    }

    private void program(String name, String... lines) throws IOException {
        Path file = folder.resolve("jdk/bin").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        assertTrue(file.toFile().setExecutable(true));
    }

    private Ran sluice(int wanted, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", checkout + "/sluice"));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().put("PATH", folder.resolve("jdk/bin") + ":" + System.getenv("PATH"));
        builder.environment().put("WANTED", String.valueOf(wanted));
        builder.environment().remove("SLUICE_JAVA_OPTS");
        builder.environment().put("HADOOP_CLASSPATH", hadoop);
        builder.environment().keySet().removeAll(Set.of("LANG", "LC_CTYPE"));
        builder.environment().put("LC_ALL", locale);
        Process process = builder.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), out);
    }

    private long builds() throws IOException {
        Path calls = folder.resolve("mvn.calls");
        return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
    }

    @Test
    void itBuildsWhereContentsHaveChangedAndNotForTimes() throws Exception {
        assertEquals(0, sluice(0, "version").status());
        assertEquals(1, builds());
        assertEquals(
                List.of("-B -ntp package -DskipTests"),
                Files.readAllLines(folder.resolve("mvn.calls")));
        Path source = checkout.resolve("job/app/src/main/A.java");
        Files.setLastModifiedTime(source, FileTime.fromMillis(System.currentTimeMillis() + 60_000));
        assertEquals(0, sluice(0, "version").status());
        assertEquals(1, builds());
        Files.writeString(source, "class A { }");
        assertEquals(0, sluice(0, "version").status());
        assertEquals(2, builds());
        Files.delete(checkout.resolve("job/app/src/main/B.java"));
        assertEquals(0, sluice(0, "version").status());
        assertEquals(3, builds());
    }

    @Test
    void wordsAndStatusPassThrough() throws Exception {
        assertEquals(2, sluice(2, "no-such-command", "two words").status());
        List<String> call = Files.readAllLines(folder.resolve("java.call"));
        int main = call.indexOf(Main.class.getName());
        assertEquals(List.of("no-such-command", "two words"), call.subList(main + 1, call.size()));
        assertTrue(call.contains("-Dsluice.home=" + checkout), call.toString());
        assertEquals(1, sluice(1, "help").status());
        assertEquals(0, sluice(0).status());
    }

    @Test
    void hadoopsClassesAreFoundWhereTheyAreNamed() throws Exception {
        hadoop = "/opt/hadoop/*:/etc/hadoop";
        assertEquals(0, sluice(0, "version").status());
        List<String> call = Files.readAllLines(folder.resolve("java.call"));
        String classes = call.get(call.indexOf("-cp") + 1);
        assertTrue(classes.endsWith(".jar:/opt/hadoop/*:/etc/hadoop"), classes);
    }

    @Test
    void namesOfFilesAreUtf8WhereThereIsNoLocale() throws Exception {
        for (String[] given :
                new String[][] {
                    {"C", "C.UTF-8"}, {"", "C.UTF-8"}, {"xx_YY.UTF-8", "xx_YY.UTF-8"}
                }) {
            locale = given[0];
            assertEquals(0, sluice(0, "version").status());
            assertEquals(given[1], Files.readString(folder.resolve("java.locale")));
        }
    }

    @Test
    void aJavaThatTellsOfItsOptionsBeforeItsVersionIsFound() throws Exception {
        Path java = folder.resolve("jdk/bin/java");
        String told = "echo 'openjdk version";
        String text = Files.readString(java);
        assertTrue(text.contains(told), text);
        Files.writeString(
                java,
                text.replace(told, "echo 'Picked up JAVA_TOOL_OPTIONS: -Xmx1g' >&2; " + told));
        assertEquals(0, sluice(0, "version").status());
        String call = Files.readString(folder.resolve("java.call"));
        assertTrue(call.contains("-Dsluice.home=" + checkout), call);
    }

    private long archives() throws IOException {
        return Files.readAllLines(folder.resolve("archives")).size();
    }

    private boolean startsFromAnArchive() throws IOException {
        for (String word : Files.readAllLines(folder.resolve("java.call"))) {
            if (word.startsWith("-XX:SharedArchiveFile=")) {
                return Files.size(Path.of(word.substring(word.indexOf('=') + 1))) > 0;
            }
        }
        return false;
    }

    @Test
    void classesAreArchivedOnceForTheJarsThatAreThere() throws Exception {
        Path sample = checkout.resolve("test-data/firewall/server.save");
        Files.createDirectories(sample.getParent());
        Files.writeString(sample, "");
        assertEquals(0, sluice(0, "version").status());
        assertEquals(3, sluice(3, "version").status());
        assertEquals(1, archives());
        assertTrue(startsFromAnArchive());
        Files.writeString(checkout.resolve("job/lab/target/sluice-lab-classes.jar"), "changed");
        assertEquals(0, sluice(0, "version").status());
        assertEquals(2, archives());
        assertTrue(startsFromAnArchive());
    }

    @Test
    void whereClassesCannotBeArchivedCommandsStartWithoutAndDoNotTryEachTime() throws Exception {
        Path sample = checkout.resolve("test-data/firewall/server.save");
        Files.createDirectories(sample.getParent());
        Files.writeString(sample, "");
        Files.writeString(folder.resolve("no-archive"), "");
        assertEquals(0, sluice(0, "version").status());
        assertEquals(0, sluice(0, "version").status());
        assertEquals(1, archives());
        assertFalse(startsFromAnArchive());
    }

    private void packageRefuses(int status, Object out, String words) throws Exception {
        Ran ran = sluice(0, "package", "--out", out.toString());
        assertEquals(status, ran.status(), ran.out());
        assertEquals(1, ran.out().lines().count(), ran.out());
        assertTrue(ran.out().contains(words), ran.out());
        assertEquals(0, builds());
    }

    @Test
    void aPackageGoesOverNoFileOfTheInstallation() throws Exception {
        Path readme = Files.writeString(checkout.resolve("README.md"), "read me");
        Path symbolic = Files.createSymbolicLink(folder.resolve("symbolic"), readme);
        Path hard = Files.createLink(folder.resolve("hard"), readme);
        for (Path file : List.of(readme, symbolic, hard, checkout.resolve("sluice"))) {
            packageRefuses(2, file, "--out " + file + " would be written over: it is a file of");
        }
        for (String name : List.of("job/app/target/sluice-job.jar", "job/app/src/main/A.java")) {
            packageRefuses(2, checkout.resolve(name), "is where the installation has its own");
        }
        assertEquals("read me", Files.readString(readme));
        assertEquals("class A {}", Files.readString(checkout.resolve("job/app/src/main/A.java")));
    }

    @Test
    void aPackageThatCannotBeWrittenIsRefusedBeforeTheBuild() throws Exception {
        packageRefuses(2, folder, "--out " + folder + " is a folder; name a file in it");
        packageRefuses(2, folder.resolve("none/x.tgz"), "there is no folder");
        assumeTrue(Files.isDirectory(Path.of("/proc/self")));
        packageRefuses(1, "/proc/x.tgz", "/proc/x.tgz cannot be written: ");
    }

    @Test
    void testsEndWithWhatWasSkippedAndWhy() throws Exception {
        for (String oracle : List.of("g++", "tshark", "ovs-ofctl")) {
            program(oracle, "exit 0");
        }
        String none = sluice(0, "test").out();
        assertTrue(none.endsWith("sluice: all tests passed\nsluice: no test was skipped\n"), none);
        Path reports = checkout.resolve("job/app/target/surefire-reports");
        Files.createDirectories(reports);
        String aborted =
                "<testcase name=\"a\" classname=\"a.%s\" time=\"0\">\n<skipped type=\"a.Aborted\"><![CDATA[a.AbortedException: Assumption failed: skipped: %s\n\tat a.B]]></skipped>\n</testcase>\n";
        Files.writeString(
                reports.resolve("TEST-a.xml"),
                aborted.formatted("One", "no \"data\" & more")
                        + "<testcase name=\"b\" classname=\"a.One\" time=\"0\"/>\n"
                        + aborted.formatted("Two", "no \"data\" & more"));
        Files.writeString(reports.resolve("TEST-b.xml"), aborted.formatted("One", "no disk"));
        String some = sluice(0, "test").out();
        assertTrue(
                some.endsWith(
                        """
                        sluice: all tests passed
                        2 skipped in One, Two: no "data" & more
                        1 skipped in One: no disk
                        """),
                some);
    }

    @Test
    void aPackageIsMadeAnewOverTheOneBefore() throws Exception {
        Path lib = checkout.resolve("job/lab/target/lib");
        Files.createDirectories(lib.resolve("broker-lib"));
        Files.writeString(lib.resolve("broker-lib/kafka.jar"), "");
        Files.writeString(lib.resolveSibling("sluice-lab-classes.jar"), "");
        for (String name :
                List.of(
                        "CONTRIBUTING.md",
                        "LICENSE",
                        "NOTICE",
                        "docs/operations.md",
                        "deploy/conf/log4j2-cli.properties",
                        "test-data/firewall/server.save",
                        "test-data/office/office.ovs")) {
            Path file = checkout.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "");
        }
        Files.writeString(
                checkout.resolve("README.md"),
                "[a](docs/operations.md) [b](CONTRIBUTING.md) [c](LICENSE) [d](NOTICE)");
        Path out = checkout.resolve("sluice-1.2.tar.gz");
        for (int i = 0; i < 2; i++) {
            Ran ran = sluice(0, "package", "--out", out.toString());
            assertEquals(0, ran.status(), ran.out());
            assertTrue(Files.size(out) > 0);
        }
        List<String> files = unpackedSafely(out);
        // Beside the jar of the classes, and not on the class path lib/*.
        assertTrue(files.contains("sluice-1.2/lib/sluice-lab-classes.jar"), files.toString());
        assertTrue(files.contains("sluice-1.2/lib/broker-lib/kafka.jar"), files.toString());
        Matcher links = LINK.matcher(Files.readString(checkout.resolve("README.md")));
        while (links.find()) {
            assertTrue(files.contains("sluice-1.2/" + links.group(1)), files.toString());
        }
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        Ran ran = sluice(0, "package", "--out", full.toString());
        assertEquals(1, ran.status(), ran.out());
        assertTrue(
                ran.out()
                        .endsWith(
                                "/dev/full cannot be written: No space left on device; name another --out\n"),
                ran.out());
    }

    /**
     * The files of an archive, which are all below one folder: plain ones, of nobody in particular,
     * which nobody else may write.
     */
    private List<String> unpackedSafely(Path archive) throws Exception {
        Process list = new ProcessBuilder("tar", "-tvzf", archive.toString()).start();
        List<String> files = new ArrayList<>();
        String lines = new String(list.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, list.waitFor());
        for (String line : lines.lines().toList()) {
            String[] cells = line.split(" +", 6);
            assertTrue(cells[0].matches("[-d]rw[-x]r[-w][-x]r-[-x]"), line);
            assertEquals("root/root", cells[1].replace("0/0", "root/root"), line);
            assertTrue(cells[5].startsWith("sluice-1.2/"), line);
            assertFalse(cells[5].contains("..") || cells[5].contains("->"), line);
            files.add(cells[5]);
        }
        return files;
    }

    @Test
    void itsOwnCommandsRefuseWhatTheyDoNotKnowBeforeTheyBuild() throws Exception {
        Ran test = sluice(0, "test", "--no-such-option");
        assertEquals(2, test.status(), test.out());
        assertTrue(test.out().contains("sluice test has no option '--no-such-option'"));
        assertEquals(2, sluice(0, "test", "--story").status());
        assertEquals(2, sluice(0, "test", "--story", folder + "/none").status());
        assertEquals(2, sluice(0, "package", "--out").status());
        assertTrue(sluice(0, "help", "test").out().startsWith("Usage: sluice test"));
        assertEquals(0, builds());
        assertFalse(Files.exists(folder.resolve("java.call")));
    }
}
