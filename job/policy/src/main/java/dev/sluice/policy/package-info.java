/**
 * Rule files and header traces of other tools, read strictly: what cannot be expressed is refused
 * with file, line, column, the words and a remedy, all defects of a file together.
 */
@NullMarked
package dev.sluice.policy;

import org.jspecify.annotations.NullMarked;
