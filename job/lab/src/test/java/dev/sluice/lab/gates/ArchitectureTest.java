package dev.sluice.lab.gates;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Borders of the modules, order of their packages and of the classes inside one. Maven's enforcer
 * guards the rest.
 */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    // Other modules' tests come as folders or, once they are packaged, as jars.
                    .withImportOption(location -> !location.contains("-tests.jar"))
                    .importPackages("dev.sluice");

    @Test
    void modulesDependDownwardsOnly() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.schemas..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.sluice.engine..",
                        "dev.sluice.operators..",
                        "dev.sluice.policy..",
                        "dev.sluice.job..",
                        "dev.sluice.lab..",
                        "org.apache.flink..",
                        "org.apache.kafka..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.engine..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.sluice.operators..",
                        "dev.sluice.policy..",
                        "dev.sluice.job..",
                        "dev.sluice.lab..",
                        "org.apache.flink..",
                        "org.apache.kafka..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.operators..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.sluice.policy..",
                        "dev.sluice.job..",
                        "dev.sluice.lab..",
                        "org.apache.kafka..",
                        "org.apache.flink.connector.kafka..",
                        "java.nio.file..")
                .check(CLASSES);
    }

    /** {@code classify} tracks connections without Flink. */
    @Test
    void connectionTrackingKnowsNothingOfTheJob() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.operators.connections..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.sluice.operators.classify..",
                        "dev.sluice.operators.rules..",
                        "dev.sluice.operators.statistics..",
                        "org.apache.flink..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.operators.connections..")
                .and()
                .doNotHaveSimpleName("StatefulJudge") // looks packets up
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.sluice.engine..")
                .check(CLASSES);
    }

    /** No algorithm, no image and no device: the front door has what operators need. */
    @Test
    void operatorsKnowTheEngineByItsContracts() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.operators..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.sluice.engine..")
                                .and(
                                        not(
                                                resideInAnyPackage(
                                                        "dev.sluice.engine",
                                                        "dev.sluice.engine.lookup",
                                                        "dev.sluice.engine.walk",
                                                        "dev.sluice.engine.rules")))
                                .and(
                                        not(
                                                belongToAnyOf(
                                                        MemoryBudgetException.class,
                                                        GpuPool.class))))
                .check(CLASSES);
    }

    /** Every package is a slice of its own, a module's root package too. */
    @Test
    void packagesFormNoCycle() {
        slices().matching("dev.sluice.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void nobodyInTheEngineKnowsItsFrontDoor() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.engine.*..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.sluice.engine")
                .check(CLASSES);
    }

    @Test
    void nothingOutsideKnowsTheLaboratory() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sluice.lab..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.sluice.lab..")
                .check(CLASSES);
    }

    /** Policies are a library. */
    @Test
    void policiesKnowTheEngineAndNothingOfTheJob() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.policy..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.sluice.operators..",
                        "dev.sluice.job..",
                        "dev.sluice.lab..",
                        "org.apache.kafka..",
                        "org.apache.flink..",
                        "picocli..")
                .check(CLASSES);
    }

    @Test
    void capturesKnowNeitherKafkaNorFlink() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.job.capture..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.kafka..", "org.apache.flink..")
                .check(CLASSES);
    }

    /** A circle of classes is one idea in several files, or a border that is drawn wrongly. */
    @Test
    void classesOfAPackageFormNoCircleButThoseListed() {
        FrozenList list = new FrozenList("circles.txt");
        List<Set<String>> listed =
                list.entries().stream().map(ArchitectureTest::membersOf).toList();
        List<String> offences = new ArrayList<>();
        List<String> needed = new ArrayList<>();
        ClassGraph.of(CodeLines.classes())
                .circles()
                .forEach(
                        circle -> {
                            if (listed.stream().anyMatch(l -> l.containsAll(membersOf(circle)))) {
                                needed.add(circle);
                            } else {
                                offences.add(
                                        "these classes form a new circle: "
                                                + circle
                                                + "; let one of them take what it needs as an argument or an interface, or merge two");
                            }
                        });
        list.check(offences, needed);
    }

    private static Set<String> membersOf(String entry) {
        return Set.of(entry.substring(entry.indexOf(':') + 2).split(" "));
    }
}
