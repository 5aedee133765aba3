XC

