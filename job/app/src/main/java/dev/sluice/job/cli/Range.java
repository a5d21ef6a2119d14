package dev.sluice.job.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Bounds of the values of an option. The parser refuses a command line with others. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Range {
    /** The smallest number. */
    long from() default 0;

    /** The largest number. */
    long to() default Long.MAX_VALUE;

    /** The shortest duration, as options are written. */
    String shortest() default "0s";

    /** The longest duration. */
    String longest() default "36500d";
}
